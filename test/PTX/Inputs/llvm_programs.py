# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in LLVM IR, of which LLVM makes PTX and code for this processor.

Each is a body that computes 8 bytes from three operands of 8 bytes. `device` is a kernel that computes all of them, `host` a function.
"""
INTS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}
FLOATS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
BITS = {"i1": 1, **INTS, **FLOATS}
SUFFIX = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}


def suffix(t):
    return SUFFIX.get(t, t)


def narrowed(t, register, of):
    """The operand `of` (i64) as a value of type t."""
    bits = BITS[t]
    lines = [] if bits == 64 else [f"%{register}.t = trunc i64 {of} to i{bits}"]
    source = of if bits == 64 else f"%{register}.t"
    cast = f"bitcast i{bits} {source} to {t}" if t in FLOATS else (f"or i{bits} {source}, 0")
    return lines + [f"%{register} = {cast}"]


def widened(t, value):
    """What computes %out (i64) from a value of type t."""
    bits = BITS[t]
    lines = [f"%out.b = bitcast {t} {value} to i{bits}"] if t in FLOATS else [f"%out.b = or i{bits} {value}, {'false' if bits == 1 else 0}"]
    return lines + ([f"%out = or i64 %out.b, 0"] if bits == 64 else [f"%out = zext i{bits} %out.b to i64"])


class Programs:
    def __init__(self):
        self.bodies = {}  # name of a function: (its lines, the declarations that it needs, the type of its result or its elements)

    def add(self, name, lines, result, declarations=()):
        self.bodies["test_" + name.replace(".", "_")] = (lines, list(declarations), result)

    def compute(self, name, operands, lines, result, declarations=()):
        """`lines` compute %r of type `result` from %a, %b and %c, whose types `operands` has."""
        text = []
        for register, t in zip("abc", operands):
            text += narrowed(t, register, f"%{register}.in")
        self.add(name, text + lines + widened(result, "%r"), result, declarations)


def intrinsic(name, result, *operands):
    return f"declare {result} @{name}({', '.join(operands)})"


def integers(p):
    for t, bits in INTS.items():
        for op in ("add", "sub", "mul", "and", "or", "xor"):
            p.compute(f"{op}.{t}", (t, t), [f"%r = {op} {t} %a, %b"], t)
        for op in ("udiv", "urem", "sdiv", "srem"):  # by something small that is not 0, and no overflow
            p.compute(f"{op}.{t}", (t, t), [f"%low = and {t} %b, 63", f"%d = or {t} %low, 1", f"%r = {op} {t} %a, %d"], t)
        for op in ("shl", "lshr", "ashr"):
            p.compute(f"{op}.{t}", (t, t), [f"%s = and {t} %b, {bits - 1}", f"%r = {op} {t} %a, %s"], t)
        for order in ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"):
            p.compute(f"icmp.{order}.{t}", (t, t), [f"%r = icmp {order} {t} %a, %b"], "i1")
        for op in ("smax", "smin", "umax", "umin", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat"):
            f = f"llvm.{op}.{t}"
            p.compute(f"{op}.{t}", (t, t), [f"%r = call {t} @{f}({t} %a, {t} %b)"], t, [intrinsic(f, t, t, t)])
        for op in ("sshl.sat", "ushl.sat"):
            f = f"llvm.{op}.{t}"
            p.compute(f"{op}.{t}", (t, t), [f"%s = and {t} %b, {bits - 1}", f"%r = call {t} @{f}({t} %a, {t} %s)"], t,
                      [intrinsic(f, t, t, t)])
        for op in ("ctpop", "bitreverse") + (("bswap",) if bits > 8 else ()):
            f = f"llvm.{op}.{t}"
            p.compute(f"{op}.{t}", (t,), [f"%r = call {t} @{f}({t} %a)"], t, [intrinsic(f, t, t)])
        for op in ("abs", "ctlz", "cttz"):
            f = f"llvm.{op}.{t}"
            p.compute(f"{op}.{t}", (t,), [f"%r = call {t} @{f}({t} %a, i1 false)"], t, [intrinsic(f, t, t, "i1")])
        for op in ("fshl", "fshr"):
            f = f"llvm.{op}.{t}"
            p.compute(f"{op}.{t}", (t, t, t), [f"%r = call {t} @{f}({t} %a, {t} %b, {t} %c)"], t, [intrinsic(f, t, t, t, t)])
        for op in ("sadd", "uadd", "ssub", "usub", "smul", "umul"):
            f, pair = f"llvm.{op}.with.overflow.{t}", f"{{{t}, i1}}"
            p.compute(f"{op}.overflow.{t}", (t, t), [
                f"%p = call {pair} @{f}({t} %a, {t} %b)", f"%v = extractvalue {pair} %p, 0", f"%o = extractvalue {pair} %p, 1",
                f"%n = xor {t} %v, -1", f"%r = select i1 %o, {t} %n, {t} %v"], t, [intrinsic(f, pair, t, t)])
        for to, wide in BITS.items():
            if (t, to) == ("i64", "bfloat"):
                continue  # hosts round twice
            if to in FLOATS:
                for op in ("sitofp", "uitofp"):
                    p.compute(f"{op}.{t}.{to}", (t,), [f"%r = {op} {t} %a to {to}"], to)
            elif wide < bits:
                p.compute(f"trunc.{t}.{to}", (t,), [f"%r = trunc {t} %a to {to}"], to)
            elif wide > bits:
                for op in ("sext", "zext"):
                    p.compute(f"{op}.{t}.{to}", (t,), [f"%r = {op} {t} %a to {to}"], to)
        p.compute(f"select.{t}", (t, t, "i1"), [f"%r = select i1 %c, {t} %a, {t} %b"], t)
        p.compute(f"switch.{t}", (t, t), [
            f"%k = and {t} %a, 15", f"switch {t} %k, label %other [" + " ".join(f"{t} {i}, label %l{i}" for i in range(9)) + "]",
            *(f"l{i}:\n  %v{i} = {op} {t} %b, {i + 1}\n  br label %end"
              for i, op in enumerate(("add", "sub", "mul", "xor", "or", "and", "shl", "lshr", "ashr"))),
            "other:\n  br label %end", "end:",
            f"%r = phi {t} [%b, %other], " + ", ".join(f"[%v{i}, %l{i}]" for i in range(9))], t) if bits > 8 else None
    for op in ("and", "or", "xor", "add", "sub", "mul"):
        p.compute(f"{op}.i1", ("i1", "i1"), [f"%r = {op} i1 %a, %b"], "i1")
    for to in FLOATS:
        for op in ("sitofp", "uitofp"):
            if (op, to) == ("sitofp", "bfloat"):
                continue  # LLVM 22 makes 1 of it, not -1
            p.compute(f"{op}.i1.{to}", ("i1",), [f"%r = {op} i1 %a to {to}"], to)
    for op in ("add", "sub", "mul", "lshr", "shl", "ashr"):
        p.compute(f"{op}.i128", ("i64", "i64", "i64"), [
            "%la = zext i64 %a to i128", "%lb = sext i64 %b to i128", "%h = shl i128 %la, 61", "%x = xor i128 %h, %lb",
            "%s = and i64 %c, 127", "%ls = zext i64 %s to i128",
            f"%y = {op} i128 %x, {'%ls' if 'sh' in op else '%lb'}", "%z = lshr i128 %y, 64", "%w = xor i128 %y, %z",
            "%r = trunc i128 %w to i64"], "i64")


def floats(p):
    for t in FLOATS:
        s = suffix(t)
        for op in ("fadd", "fsub", "fmul", "fdiv"):
            p.compute(f"{op}.{t}", (t, t), [f"%r = {op} {t} %a, %b"], t)
        p.compute(f"fneg.{t}", (t,), [f"%r = fneg {t} %a"], t)
        for op in ("fabs", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven", "sqrt"):
            f = f"llvm.{op}.{s}"
            p.compute(f"{op}.{t}", (t,), [f"%r = call {t} @{f}({t} %a)"], t, [intrinsic(f, t, t)])
        for op in ("copysign", "minnum", "maxnum", "minimum", "maximum"):
            f = f"llvm.{op}.{s}"
            p.compute(f"{op}.{t}", (t, t), [f"%r = call {t} @{f}({t} %a, {t} %b)"], t, [intrinsic(f, t, t, t)])
        if t in ("float", "double"):
            f = f"llvm.fma.{s}"
            p.compute(f"fma.{t}", (t, t, t), [f"%r = call {t} @{f}({t} %a, {t} %b, {t} %c)"], t, [intrinsic(f, t, t, t, t)])
        for order in ("oeq", "one", "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "ult", "ule", "ugt", "uge", "uno"):
            p.compute(f"fcmp.{order}.{t}", (t, t), [f"%r = fcmp {order} {t} %a, %b"], "i1")
        for kind in (3, 4, 8, 0x90, 0x60, 0x108, 0x264, 0x1f8):  # NaN, infinities, normal, subnormal and zero numbers
            f = f"llvm.is.fpclass.{s}"
            p.compute(f"fpclass.{kind}.{t}", (t,), [f"%r = call i1 @{f}({t} %a, i32 {kind})"], "i1", [intrinsic(f, "i1", t, "i32")])
        for to in INTS:
            for op in ("fptosi", "fptoui"):
                f = f"llvm.{op}.sat.{to}.{s}"
                p.compute(f"{op}.sat.{t}.{to}", (t,), [f"%r = call {to} @{f}({t} %a)"], to, [intrinsic(f, to, t)])
        for to in FLOATS:
            if BITS[to] > BITS[t]:
                p.compute(f"fpext.{t}.{to}", (t,), [f"%r = fpext {t} %a to {to}"], to)
            elif BITS[to] < BITS[t]:
                p.compute(f"fptrunc.{t}.{to}", (t,), [f"%r = fptrunc {t} %a to {to}"], to)
        p.compute(f"fselect.{t}", (t, t, "i1"), [f"%r = select i1 %c, {t} %a, {t} %b"], t)


def vectors(p):
    """Pairs and quadruples in one or two registers: an element in each part of the operands."""
    for t, n in (("half", 2), ("bfloat", 2), ("i16", 2), ("i8", 4), ("half", 4), ("bfloat", 4), ("i16", 4), ("i8", 8), ("float", 2), ("i32", 2)):
        v, bits = f"<{n} x {t}>", n * BITS[t]
        load = []
        for register in "abc":
            source = f"%{register}.in"
            if bits < 64:
                load.append(f"%{register}.t = trunc i64 {source} to i{bits}")
                source = f"%{register}.t"
            load.append(f"%{register} = bitcast i{bits} {source} to {v}")
        store = [f"%o = bitcast {v} %r to i{bits}", f"%out = zext i{bits} %o to i64" if bits < 64 else "%out = or i64 %o, 0"]
        operations = {op: [f"%r = {op} {v} %a, %b"] for op in
                      (("fadd", "fsub", "fmul", "fdiv") if t in FLOATS else ("add", "sub", "mul", "and", "xor"))}
        compare = "fcmp olt" if t in FLOATS else "icmp slt"
        operations["select"] = [f"%p = {compare} {v} %a, %b", f"%r = select <{n} x i1> %p, {v} %b, {v} %c"]
        reverse = ", ".join(f"i32 {n - 1 - i}" for i in range(n))
        operations["shuffle"] = [f"%r = shufflevector {v} %a, {v} %b, <{n} x i32> <{reverse}>"]
        operations["element"] = [f"%i = and i64 %c.in, {n - 1}", f"%e = extractelement {v} %a, i64 %i",
                                 f"%r = insertelement {v} %b, {t} %e, i64 %i"]
        declarations = {}
        functions = ("minnum", "maxnum", "minimum", "maximum", "fabs") if t in FLOATS else ("smax", "umin", "sadd.sat", "usub.sat")
        for f in functions:
            name = f"llvm.{f}.v{n}{suffix(t)}"
            one = f == "fabs"
            operations[f] = [f"%r = call {v} @{name}({v} %a" + ("" if one else f", {v} %b") + ")"]
            declarations[f] = [intrinsic(name, v, *([v] if one else [v, v]))]
        for name, lines in operations.items():
            p.add(f"{name}.v{n}{t}", load + lines + store, t, declarations.get(name, []))


def memory(p):
    """Local arrays, copies, constants, calls and pointers of unknown space."""
    p.add("alloca", ["%array = alloca [8 x i64]", *(
        f"%p{i} = getelementptr i64, ptr %array, i64 {i}\n  store i64 {'%' + 'abc'[i % 3] + '.in'}, ptr %p{i}" for i in range(8)),
        "%i = and i64 %c.in, 7", "%p = getelementptr i64, ptr %array, i64 %i", "%out = load i64, ptr %p"], "i64")
    p.add("memcpy", ["%x = alloca [32 x i8], align 8", "%y = alloca [40 x i8], align 8", "call void @llvm.memset.p0.i64(ptr %x, i8 7, i64 32, i1 false)",
                     "call void @llvm.memset.p0.i64(ptr %y, i8 1, i64 40, i1 false)", "store i64 %a.in, ptr %x",
                     "%q = getelementptr i8, ptr %y, i64 5", "%n = and i64 %b.in, 31", "call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %x, i64 %n, i1 false)",
                     "%z = getelementptr i8, ptr %q, i64 1", "call void @llvm.memmove.p0.p0.i64(ptr %z, ptr %q, i64 %n, i1 false)",
                     "%l = load i64, ptr %q, align 1", "%h = load i64, ptr %y", "%out = xor i64 %l, %h"], "i64",
          ["declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)", "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
           "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)"])
    p.add("globals", ["%i = and i64 %a.in, 3", "%p = getelementptr i32, ptr @numbers, i64 %i", "%v = load i32, ptr %p", "%w = sext i32 %v to i64",
                      "%pp = getelementptr ptr, ptr @pointers, i64 %i", "%q = load ptr, ptr %pp", "%s = load i64, ptr %q, align 1",
                      "%f = load double, ptr getelementptr ({i8, double, [3 x i16]}, ptr @record, i64 0, i32 1)", "%g = fptosi double %f to i64",
                      "%x = xor i64 %w, %s", "%out = add i64 %x, %g"], "i64",
          ["@numbers = internal unnamed_addr constant [4 x i32] [i32 3, i32 -1, i32 2147483647, i32 -2147483648]",
           '@text = internal constant [16 x i8] c"some characters\\00"',
           "@pointers = internal constant [4 x ptr] [ptr @numbers, ptr @text, ptr getelementptr (i8, ptr @text, i64 3), "
           "ptr getelementptr (i32, ptr @numbers, i64 2)]",
           "@record = internal global {i8, double, [3 x i16]} {i8 -3, double 1.25e2, [3 x i16] [i16 1, i16 -2, i16 3]}"])
    p.add("calls", ["%x = call i64 @helper(i64 %a.in, i8 signext 3, ptr null)", "%p = call {i32, i64} @pair(i64 %b.in)",
                    "%l = extractvalue {i32, i64} %p, 0", "%h = extractvalue {i32, i64} %p, 1", "%w = zext i32 %l to i64", "%y = add i64 %w, %h",
                    "%out = xor i64 %x, %y"], "i64",
          ["define internal i64 @helper(i64 %x, i8 signext %y, ptr %p) noinline optnone {\n  %n = icmp eq ptr %p, null\n"
           "  br i1 %n, label %l, label %m\nl:\n  %w = sext i8 %y to i64\n  %z = mul i64 %x, %w\n  ret i64 %z\nm:\n  ret i64 7\n}",
           "define internal {i32, i64} @pair(i64 %x) noinline optnone {\n  %l = trunc i64 %x to i32\n  %a = insertvalue {i32, i64} poison, i32 %l, 0\n"
           "  %h = call i64 @helper(i64 %x, i8 signext -2, ptr null)\n  %b = insertvalue {i32, i64} %a, i64 %h, 1\n  ret {i32, i64} %b\n}"])
    p.add("byval", ["%s = alloca [3 x i64]", "store i64 %a.in, ptr %s", "%q = getelementptr i64, ptr %s, i64 1", "store i64 %b.in, ptr %q",
                    "%z = getelementptr i64, ptr %s, i64 2", "store i64 %c.in, ptr %z",
                    "%out = call i64 @sum(ptr byval([3 x i64]) align 8 %s)"], "i64",
          ["define internal i64 @sum(ptr byval([3 x i64]) align 8 %s) noinline optnone {\n  %a = load i64, ptr %s\n"
           "  %q = getelementptr i64, ptr %s, i64 2\n  %b = load i64, ptr %q\n  store i64 0, ptr %q\n  %r = sub i64 %a, %b\n  ret i64 %r\n}"])
    for t in ("i8", "i16", "i32", "i64", "float", "double", "half", "bfloat"):
        n = 8 // (BITS[t] // 8)
        for k in (2, 4):
            if k * BITS[t] <= 128 and k <= n * 2:
                v = f"<{k} x {t}>"
                p.add(f"load.v{k}{t}", ["%array = alloca [2 x i64], align 16", "store i64 %a.in, ptr %array", "%q = getelementptr i64, ptr %array, i64 1",
                                        "store i64 %b.in, ptr %q", f"%v = load volatile {v}, ptr %array", "%w = alloca [2 x i64], align 16",
                                        "store i64 0, ptr %w", "%w1 = getelementptr i64, ptr %w, i64 1", "store i64 0, ptr %w1",
                                        f"store volatile {v} %v, ptr %w", "%x = load i64, ptr %w", "%y = load i64, ptr %w1", "%out = sub i64 %x, %y"], t)
    p.add("loop", ["br label %head", "head:", "%i = phi i64 [0, %entry], [%j, %tail]", "%s = phi i64 [%a.in, %entry], [%u, %tail]",
                   "%d = icmp ult i64 %i, 17", "br i1 %d, label %body, label %end", "body:", "%o = and i64 %s, 1", "%p = icmp eq i64 %o, 0",
                   "br i1 %p, label %even, label %odd", "even:", "%e = lshr i64 %s, 1", "br label %tail", "odd:", "%f = mul i64 %s, 3",
                   "%g = add i64 %f, 1", "br label %tail", "tail:", "%u = phi i64 [%e, %even], [%g, %odd]", "%j = add i64 %i, 1", "br label %head",
                   "end:", "%out = add i64 %s, 0"], "i64")


def programs():
    p = Programs()
    for group in (integers, floats, vectors, memory):
        group(p)
    return p.bodies


def functions(bodies):
    """Each body as a function of its three operands and where its result goes."""
    declarations, result = {}, []
    load = "".join(f"  %{r}.p = getelementptr i64, ptr %in, i64 {k}\n  %{r}.in = load i64, ptr %{r}.p\n" for k, r in enumerate("abc"))
    for name, (lines, needed, _) in bodies.items():
        for declaration in needed:
            declarations[declaration] = True
        body = "".join(f"  {line}\n" if not line.endswith(":") else line + "\n" for line in lines)
        result.append(f"define void @{name}(ptr %in, ptr %result) noinline {{\nentry:\n{load}{body}  store i64 %out, ptr %result\n  ret void\n}}\n")
    return "\n".join(declarations) + "\n\n" + "\n".join(result)


def call_all(bodies):
    return "".join(f"  %o{i}.x = mul i64 %n, {i}\n  %o{i} = add i64 %o{i}.x, %t\n  %r{i} = getelementptr i64, ptr %result, i64 %o{i}\n"
                   f"  call void @{name}(ptr %in, ptr %r{i})\n" for i, name in enumerate(bodies))


def device(bodies):
    """A kernel of as many threads as there are rows of operands; results are a row for each body."""
    calls = call_all(bodies)
    return ('target triple = "nvptx64-nvidia-cuda"\n' + functions(bodies) + "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
            "declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"
            "define ptx_kernel void @all(ptr %arrays, ptr %result) {\n  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
            "  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n  %n = zext i32 %ntid to i64\n  %t = zext i32 %tid to i64\n"
            "  %t3 = mul i64 %t, 3\n  %in = getelementptr i64, ptr %arrays, i64 %t3\n" + calls + "  ret void\n}\n")


def host(bodies):
    """The same as a function of the number of rows."""
    calls = call_all(bodies)
    return (functions(bodies) + "define void @all(ptr %arrays, ptr %result, i64 %n) {\nentry:\n  br label %loop\nloop:\n"
            "  %t = phi i64 [0, %entry], [%u, %loop]\n  %t3 = mul i64 %t, 3\n  %in = getelementptr i64, ptr %arrays, i64 %t3\n" + calls +
            "  %u = add i64 %t, 1\n  %more = icmp ult i64 %u, %n\n  br i1 %more, label %loop, label %end\nend:\n  ret void\n}\n")
