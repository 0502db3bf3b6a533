//===- DMCAttrs.td - Meshes, layouts, programs -------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of the dmc dialect.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_ATTRS_TD
#define DMC_DIALECT_DMC_ATTRS_TD

include "dmc/Dialect/DMC/DMCDialect.td"
include "dmc/Dialect/DMC/NestAttrs.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class DMC_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<DMC_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def DMC_CombinerKind : I32EnumAttr<"CombinerKind", "how the partial values of a tensor combine", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"prod", 1>,
    I32EnumAttrCase<"max", 2>, I32EnumAttrCase<"min", 3>]> {
  let cppNamespace = "::dmc";
}

def DMC_LevelKind : I32EnumAttr<"Level", "a level of a program", [
    I32EnumAttrCase<"tensor", 0>, I32EnumAttrCase<"parallel", 1>,
    I32EnumAttrCase<"ranks", 2>, I32EnumAttrCase<"scheduled", 3>]> {
  let cppNamespace = "::dmc";
}

def DMC_DirectionKind : I32EnumAttr<"Direction", "the directions in which layouts propagate through an identity", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"forward", 1>,
    I32EnumAttrCase<"backward", 2>, I32EnumAttrCase<"both", 3>]> {
  let cppNamespace = "::dmc";
}

def DMC_MeshAxisAttr : DMC_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "A named axis of a mesh and its size";
  let parameters = (ins StringRefParameter<"name">:$name, "int64_t":$size);
  let assemblyFormat = "`<` $name `=` $size `>`";
}

def DMC_MeshAttr : DMC_Attr<"Mesh", "mesh"> {
  let summary = "A list of named axes with sizes";
  let description = [{
    Ranks are numbered row-major over the axes. An attribute and not a symbol: a
    layout can be checked and converted with no symbol table.

    ```mlir
    #dmc.mesh<"data" = 2, "model" = 4>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::dmc::MeshAxisAttr">:$axes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The axis of that name, or null.
    ::dmc::MeshAxisAttr find(::llvm::StringRef name) const;
    /// Size of the axis of that name; 0 where there is none.
    int64_t getAxisSize(::llvm::StringRef name) const;
    int64_t getNumRanks() const;
    /// The same mesh for the layout library.
    ::dmc::Mesh toMesh() const;
    static MeshAttr get(::mlir::MLIRContext *context, const ::dmc::Mesh &mesh);
    /// `data=2,model=4` with letters and digits only; for aliases and symbols.
    std::string getShortName() const;
  }];
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<std::pair<std::string, int64_t>>":$axes)>];
}

def DMC_AxisAttr : DMC_Attr<"Axis", "axis"> {
  let summary = "A mesh axis, or a part of one";
  let description = [{
    `"x"` is the full axis; `"x":(2)4` is the sub-axis of size 4 below a more
    major part of size 2. Full axes are stored with both sizes 0.
  }];
  let parameters = (ins StringRefParameter<"name">:$name, "int64_t":$preSize, "int64_t":$subSize);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static AxisAttr get(::mlir::MLIRContext *context, ::llvm::StringRef name) {
      return get(context, name, 0, 0);
    }
    bool isFullAxis() const { return getSubSize() == 0; }
    /// Number of positions along it; 0 if the mesh has no such axis.
    int64_t getSize(::dmc::MeshAttr mesh) const;
  }];
}

def DMC_AxesAttr : DMC_Attr<"Axes", "axes"> {
  let summary = "A list of mesh axes, major to minor";
  let description = [{ Written `{"data", "model"}`. }];
  let parameters = (ins OptionalArrayRefParameter<"::dmc::AxisAttr">:$axes);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    using iterator = ::llvm::ArrayRef<AxisAttr>::iterator;
    iterator begin() const { return getAxes().begin(); }
    iterator end() const { return getAxes().end(); }
    size_t size() const { return getAxes().size(); }
    bool empty() const { return getAxes().empty(); }
    /// Product of the sizes.
    int64_t getGroupSize(::dmc::MeshAttr mesh) const;
  }];
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<::llvm::StringRef>":$names)>];
}

def DMC_PlacedAttr : DMC_Attr<"Placed", "placed"> {
  let summary = "An axis of which one coordinate holds the tensor";
  let parameters = (ins "::dmc::AxisAttr":$axis, "int64_t":$coordinate);
  let hasCustomAssemblyFormat = 1;
}

def DMC_LayoutAttr : DMC_Attr<"Layout", "layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "The sharding of a tensor on a mesh";
  let description = [{
    The tensor type's encoding. Per dimension the axes that split it, major to
    minor; optionally one combiner and the axes that are partial under it;
    optionally axes pinned to a coordinate. Axes that are not mentioned are
    replicated. A layout never changes the value.

    ```mlir
    #dmc.layout<#mesh, [{"data"}, {} ], sum {"model"}>
    #dmc.layout<#mesh, [{} ], placed {"stage" = 0}>
    ```

    Constraints:
    - (C1) every axis is an axis of the mesh (a sub-axis divides it);
    - (C2) no axis, or part of one, has two states;
    - (C3) as many dimension entries as the tensor has dimensions;
    - (C4) coordinates lie within their axis.
  }];
  let parameters = (ins
    "::dmc::MeshAttr":$mesh,
    OptionalArrayRefParameter<"::dmc::AxesAttr">:$dims,
    "::dmc::CombinerKind":$combiner,
    "::dmc::AxesAttr":$partial,
    OptionalArrayRefParameter<"::dmc::PlacedAttr">:$placed);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilderWithInferredContext<(ins "::dmc::MeshAttr":$mesh, "::llvm::ArrayRef<::dmc::AxesAttr>":$dims)>
  ];
  let extraClassDeclaration = [{
    /// The layout that replicates a tensor of `rank` dimensions on all axes.
    static LayoutAttr getReplicated(::dmc::MeshAttr mesh, int64_t rank);
    static LayoutAttr get(::dmc::MeshAttr mesh, const ::dmc::Layout &layout);
    /// The layout of a tensor type; null where it has none.
    static LayoutAttr of(::mlir::Type type);
    int64_t getRank() const { return getDims().size(); }
    bool isPartial() const { return !getPartial().empty(); }
    bool isReplicated() const;
    LayoutAttr withDims(::llvm::ArrayRef<::dmc::AxesAttr> dims) const;
    LayoutAttr withPartial(::dmc::CombinerKind combiner, ::dmc::AxesAttr axes) const;
    LayoutAttr withoutPartial() const;
    /// The same layout for the layout library.
    ::dmc::Layout toLayout() const;
    /// Padded local shape on every rank.
    ::llvm::SmallVector<int64_t> getLocalShape(::llvm::ArrayRef<int64_t> globalShape) const;
    /// The state as text without the mesh: `[{"data"}, {} ], sum {"model"}`.
    void printState(::llvm::raw_ostream &os) const;
  }];
}

def DMC_OpLayoutsAttr : DMC_Attr<"OpLayouts", "op_layouts"> {
  let summary = "The layouts decided for an operation's operands and results";
  let description = [{
    Propagation writes its decisions on an operation as `dmc.layouts` while the
    program is still at level 0: one layout for each ranked-tensor operand and
    result, in order; `dmc-materialize-moves` applies them. A result's layout
    may be partial; it is what the operation itself produces.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"::dmc::LayoutAttr">:$operands,
    OptionalArrayRefParameter<"::dmc::LayoutAttr">:$results);
  let hasCustomAssemblyFormat = 1;
}

def DMC_ValueAttr : DMC_Attr<"Value", "value"> {
  let summary = "An argument or result of a program";
  let description = [{
    Name, global shape and element type with signedness (`ui8` although the IR is
    signless) with the layout as encoding; for a donated argument, the result that
    aliases its buffer. Of an argument whose elements are indices of others, `below` says how many
    values lie within all that they index.

    ```mlir
    #dmc.value<"params/w" : tensor<48x128xf32, #layout> donates 3>
    #dmc.value<"batch/ids" : tensor<2048x4xi32> below 100000>
    ```

    Constraints:
    - (C1) a bound is positive, and of integers.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::RankedTensorType":$type,
                        DefaultValuedParameter<"int64_t", "-1">:$donates,
                        DefaultValuedParameter<"int64_t", "0">:$below);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::dmc::LayoutAttr getLayout() const { return LayoutAttr::of(getType()); }
    bool isDonated() const { return getDonates() >= 0; }
    ValueAttr withLayout(::dmc::LayoutAttr layout) const;
    ValueAttr withBound(int64_t below) const;
  }];
}

def DMC_ProgramAttr : DMC_Attr<"Program", "program"> {
  let summary = "The interface of the program, at every level";
  let description = [{
    The module attribute `dmc.program`: made at import and carried through all
    levels. What a level forgets (global sizes of uneven shards, unsigned types,
    names, donation) is here. `mesh` is null for a program that has no layouts
    yet. The entry is the module's only public function.
  }];
  let parameters = (ins
    "::dmc::Level":$level,
    "::mlir::StringAttr":$name,
    OptionalParameter<"::dmc::MeshAttr">:$mesh,
    OptionalArrayRefParameter<"::dmc::ValueAttr">:$arguments,
    OptionalArrayRefParameter<"::dmc::ValueAttr">:$results);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Of a module; null where it has none.
    static ProgramAttr of(::mlir::Operation *module);
    ProgramAttr withLevel(::dmc::Level level) const;
    /// The result that takes over the buffer of an argument, or -1: a donation
    /// takes effect only where layouts and element widths are equal.
    int64_t getResultInBufferOf(size_t argument) const;
  }];
}

def DMC_TargetAttr : DMC_Attr<"Target", "target"> {
  let summary = "What kernels are compiled for: structure, no rates";
  let description = [{
    The module attribute `dmc.target`, set before kernels are formed. It says which code the target can run and how its
    memory and registers are built; how fast any of it is, and how large its caches are, is the machine's
    (docs/machine.md).

    ```mlir
    #dmc.target<"x86-64-v3", features = "avx,avx2,fma", vector = 32, registers = 16, line = 64,
                alignment = 64, spaces = ["host"], operations = 64, results = 8>
    ```

    The processor as LLVM names it, and which of the extensions that the runtime can check the code may use; bytes of a
    vector register and how many there are; bytes of a cache line; the alignment of every buffer; the memory spaces, of
    which the first holds arguments and results; and the most operations and results of one
    kernel. A device that runs blocks of threads also has the bytes of shared memory, the threads of a warp and the
    most threads of a block; its vectors are those of one thread, its registers too, and a line is what memory is read by:

    ```mlir
    #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64,
                spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>
    ```

    Constraints:
    - (C1) the bytes of a vector, of a line and of the alignment are powers of two, and an aligned
      buffer begins with a line and with a vector;
    - (C2) there are registers, operations, results and a memory space;
    - (C3) a device's warp is a power of two of threads, of which a block holds one at least.
  }];
  let parameters = (ins
    StringRefParameter<"the processor">:$processor,
    StringRefParameter<"extensions, separated by commas">:$features,
    "int64_t":$vectorBytes, "int64_t":$vectorRegisters, "int64_t":$lineBytes,
    "int64_t":$alignment, "::mlir::ArrayAttr":$spaces,
    "int64_t":$kernelOperations, "int64_t":$kernelResults,
    DefaultValuedParameter<"int64_t", "0">:$sharedBytes, DefaultValuedParameter<"int64_t", "0">:$warpThreads,
    DefaultValuedParameter<"int64_t", "0">:$blockThreads);
  let assemblyFormat = [{
    `<` $processor `,` `features` `=` $features `,` `vector` `=` $vectorBytes `,` `registers` `=` $vectorRegisters
    `,` `line` `=` $lineBytes `,` `alignment` `=` $alignment `,` `spaces` `=` $spaces `,`
    `operations` `=` $kernelOperations `,` `results` `=` $kernelResults
    (`,` `shared` `=` $sharedBytes^ `,` `warp` `=` $warpThreads `,` `block` `=` $blockThreads)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// That of the module around an operation; where it has none, a processor of which nothing
    /// but 64-bit code is known.
    static TargetAttr of(::mlir::Operation *op);
    /// A processor that runs kernels on the memory of the program itself.
    static TargetAttr getHost(::mlir::MLIRContext *context, ::llvm::StringRef processor,
                              ::llvm::StringRef features, int64_t vectorBytes,
                              int64_t vectorRegisters);
    /// A device with memory of its own that runs blocks of threads.
    static TargetAttr getDevice(::mlir::MLIRContext *context, ::llvm::StringRef processor,
                                int64_t threadRegisters, int64_t sharedBytes);
    bool isDevice() const { return getWarpThreads() > 0; }
    bool hasFeature(::llvm::StringRef name) const;
    /// Elements of a type, at least one, in a vector register and in a cache line.
    int64_t getLanes(::mlir::Type element) const;
    int64_t getLineElements(::mlir::Type element) const;
  }];
}

#endif // DMC_DIALECT_DMC_ATTRS_TD
