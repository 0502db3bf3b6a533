// Bodies of maps: which partial values each carries, alone, jointly and with constants.

func.func @negf_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "arith.negf"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.negf } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @absf_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.absf"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.absf } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @exp_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.exp"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.exp } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @tanh_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.tanh"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.tanh } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @floor_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.floor"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.floor } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @ceil_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.ceil"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.ceil } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @round_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.round"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.round } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @roundeven_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.roundeven"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.roundeven } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @trunc_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.trunc"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.trunc } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @sqrt_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.sqrt"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.sqrt } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @rsqrt_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.rsqrt"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.rsqrt } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @log_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.log"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.log } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @log1p_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.log1p"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.log1p } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @expm1_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.expm1"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.expm1 } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @sin_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.sin"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.sin } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @cos_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.cos"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.cos } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @tan_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.tan"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.tan } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @erf_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.erf"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.erf } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @erfc_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.erfc"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.erfc } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @cbrt_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.cbrt"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.cbrt } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @sinh_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.sinh"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.sinh } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @cosh_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.cosh"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.cosh } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @asinh_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.asinh"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.asinh } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @acosh_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.acosh"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.acosh } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @atanh_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.atanh"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.atanh } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @asin_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.asin"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.asin } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @acos_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.acos"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.acos } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @atan_f32(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.atan"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.atan } ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @negf_bf16(%a: tensor<3xbf16>) -> tensor<3xbf16> attributes {dmc.check = "arith.negf"} {
  %e = tensor.empty() : tensor<3xbf16>
  %r = linalg.map { arith.negf } ins(%a : tensor<3xbf16>) outs(%e : tensor<3xbf16>)
  return %r : tensor<3xbf16>
}

func.func @absf_bf16(%a: tensor<3xbf16>) -> tensor<3xbf16> attributes {dmc.check = "math.absf"} {
  %e = tensor.empty() : tensor<3xbf16>
  %r = linalg.map { math.absf } ins(%a : tensor<3xbf16>) outs(%e : tensor<3xbf16>)
  return %r : tensor<3xbf16>
}

func.func @absi_i32(%a: tensor<3xi32>) -> tensor<3xi32> attributes {dmc.check = "math.absi"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map { math.absi } ins(%a : tensor<3xi32>) outs(%e : tensor<3xi32>)
  return %r : tensor<3xi32>
}

func.func @ctpop_i32(%a: tensor<3xi32>) -> tensor<3xi32> attributes {dmc.check = "math.ctpop"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map { math.ctpop } ins(%a : tensor<3xi32>) outs(%e : tensor<3xi32>)
  return %r : tensor<3xi32>
}

func.func @ctlz_i32(%a: tensor<3xi32>) -> tensor<3xi32> attributes {dmc.check = "math.ctlz"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map { math.ctlz } ins(%a : tensor<3xi32>) outs(%e : tensor<3xi32>)
  return %r : tensor<3xi32>
}

func.func @addf_f32(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "arith.addf"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.addf } ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @subf_f32(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "arith.subf"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.subf } ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @mulf_f32(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "arith.mulf"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.mulf } ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @divf_f32(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "arith.divf"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.divf } ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @maximumf_f32(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "arith.maximumf"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.maximumf } ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @minimumf_f32(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "arith.minimumf"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.minimumf } ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @addf_bf16(%a: tensor<3xbf16>, %b: tensor<3xbf16>) -> tensor<3xbf16> attributes {dmc.check = "arith.addf"} {
  %e = tensor.empty() : tensor<3xbf16>
  %r = linalg.map { arith.addf } ins(%a, %b : tensor<3xbf16>, tensor<3xbf16>) outs(%e : tensor<3xbf16>)
  return %r : tensor<3xbf16>
}

func.func @mulf_bf16(%a: tensor<3xbf16>, %b: tensor<3xbf16>) -> tensor<3xbf16> attributes {dmc.check = "arith.mulf"} {
  %e = tensor.empty() : tensor<3xbf16>
  %r = linalg.map { arith.mulf } ins(%a, %b : tensor<3xbf16>, tensor<3xbf16>) outs(%e : tensor<3xbf16>)
  return %r : tensor<3xbf16>
}

func.func @maximumf_bf16(%a: tensor<3xbf16>, %b: tensor<3xbf16>) -> tensor<3xbf16> attributes {dmc.check = "arith.maximumf"} {
  %e = tensor.empty() : tensor<3xbf16>
  %r = linalg.map { arith.maximumf } ins(%a, %b : tensor<3xbf16>, tensor<3xbf16>) outs(%e : tensor<3xbf16>)
  return %r : tensor<3xbf16>
}

func.func @remf_f32(%a: tensor<3xf32> {dmc.range = array<i64: -9, 9>}, %b: tensor<3xf32> {dmc.range = array<i64: 1, 4>}) -> tensor<3xf32> attributes {dmc.check = "arith.remf"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.remf } ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @powf_f32(%a: tensor<3xf32> {dmc.range = array<i64: -4, 4>}, %b: tensor<3xf32> {dmc.range = array<i64: -3, 3>}) -> tensor<3xf32> attributes {dmc.check = "math.powf"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.powf } ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @atan2_f32(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.atan2"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.atan2 } ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @copysign_f32(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "math.copysign"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { math.copysign } ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @addi_i8(%a: tensor<3xi8>, %b: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "arith.addi"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map { arith.addi } ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>)
  return %r : tensor<3xi8>
}

func.func @addi_i1(%a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> attributes {dmc.check = "arith.addi"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map { arith.addi } ins(%a, %b : tensor<3xi1>, tensor<3xi1>) outs(%e : tensor<3xi1>)
  return %r : tensor<3xi1>
}

func.func @subi_i8(%a: tensor<3xi8>, %b: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "arith.subi"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map { arith.subi } ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>)
  return %r : tensor<3xi8>
}

func.func @subi_i1(%a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> attributes {dmc.check = "arith.subi"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map { arith.subi } ins(%a, %b : tensor<3xi1>, tensor<3xi1>) outs(%e : tensor<3xi1>)
  return %r : tensor<3xi1>
}

func.func @muli_i8(%a: tensor<3xi8>, %b: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "arith.muli"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map { arith.muli } ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>)
  return %r : tensor<3xi8>
}

func.func @muli_i1(%a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> attributes {dmc.check = "arith.muli"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map { arith.muli } ins(%a, %b : tensor<3xi1>, tensor<3xi1>) outs(%e : tensor<3xi1>)
  return %r : tensor<3xi1>
}

func.func @andi_i8(%a: tensor<3xi8>, %b: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "arith.andi"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map { arith.andi } ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>)
  return %r : tensor<3xi8>
}

func.func @andi_i1(%a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> attributes {dmc.check = "arith.andi"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map { arith.andi } ins(%a, %b : tensor<3xi1>, tensor<3xi1>) outs(%e : tensor<3xi1>)
  return %r : tensor<3xi1>
}

func.func @ori_i8(%a: tensor<3xi8>, %b: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "arith.ori"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map { arith.ori } ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>)
  return %r : tensor<3xi8>
}

func.func @ori_i1(%a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> attributes {dmc.check = "arith.ori"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map { arith.ori } ins(%a, %b : tensor<3xi1>, tensor<3xi1>) outs(%e : tensor<3xi1>)
  return %r : tensor<3xi1>
}

func.func @xori_i8(%a: tensor<3xi8>, %b: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "arith.xori"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map { arith.xori } ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>)
  return %r : tensor<3xi8>
}

func.func @xori_i1(%a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> attributes {dmc.check = "arith.xori"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map { arith.xori } ins(%a, %b : tensor<3xi1>, tensor<3xi1>) outs(%e : tensor<3xi1>)
  return %r : tensor<3xi1>
}

func.func @maxsi_i8(%a: tensor<3xi8>, %b: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "arith.maxsi"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map { arith.maxsi } ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>)
  return %r : tensor<3xi8>
}

func.func @maxsi_i1(%a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> attributes {dmc.check = "arith.maxsi"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map { arith.maxsi } ins(%a, %b : tensor<3xi1>, tensor<3xi1>) outs(%e : tensor<3xi1>)
  return %r : tensor<3xi1>
}

func.func @minsi_i8(%a: tensor<3xi8>, %b: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "arith.minsi"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map { arith.minsi } ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>)
  return %r : tensor<3xi8>
}

func.func @minsi_i1(%a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> attributes {dmc.check = "arith.minsi"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map { arith.minsi } ins(%a, %b : tensor<3xi1>, tensor<3xi1>) outs(%e : tensor<3xi1>)
  return %r : tensor<3xi1>
}

func.func @maxui_i8(%a: tensor<3xi8>, %b: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "arith.maxui"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map { arith.maxui } ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>)
  return %r : tensor<3xi8>
}

func.func @maxui_i1(%a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> attributes {dmc.check = "arith.maxui"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map { arith.maxui } ins(%a, %b : tensor<3xi1>, tensor<3xi1>) outs(%e : tensor<3xi1>)
  return %r : tensor<3xi1>
}

func.func @minui_i8(%a: tensor<3xi8>, %b: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "arith.minui"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map { arith.minui } ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>)
  return %r : tensor<3xi8>
}

func.func @minui_i1(%a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> attributes {dmc.check = "arith.minui"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map { arith.minui } ins(%a, %b : tensor<3xi1>, tensor<3xi1>) outs(%e : tensor<3xi1>)
  return %r : tensor<3xi1>
}

func.func @divsi_i32(%a: tensor<3xi32> {dmc.range = array<i64: -20, 20>}, %b: tensor<3xi32> {dmc.range = array<i64: 1, 5>}) -> tensor<3xi32> attributes {dmc.check = "arith.divsi"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map { arith.divsi } ins(%a, %b : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>)
  return %r : tensor<3xi32>
}

func.func @divui_i32(%a: tensor<3xi32> {dmc.range = array<i64: -20, 20>}, %b: tensor<3xi32> {dmc.range = array<i64: 1, 5>}) -> tensor<3xi32> attributes {dmc.check = "arith.divui"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map { arith.divui } ins(%a, %b : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>)
  return %r : tensor<3xi32>
}

func.func @remsi_i32(%a: tensor<3xi32> {dmc.range = array<i64: -20, 20>}, %b: tensor<3xi32> {dmc.range = array<i64: 1, 5>}) -> tensor<3xi32> attributes {dmc.check = "arith.remsi"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map { arith.remsi } ins(%a, %b : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>)
  return %r : tensor<3xi32>
}

func.func @remui_i32(%a: tensor<3xi32> {dmc.range = array<i64: -20, 20>}, %b: tensor<3xi32> {dmc.range = array<i64: 1, 5>}) -> tensor<3xi32> attributes {dmc.check = "arith.remui"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map { arith.remui } ins(%a, %b : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>)
  return %r : tensor<3xi32>
}

func.func @floordivsi_i32(%a: tensor<3xi32> {dmc.range = array<i64: -20, 20>}, %b: tensor<3xi32> {dmc.range = array<i64: 1, 5>}) -> tensor<3xi32> attributes {dmc.check = "arith.floordivsi"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map { arith.floordivsi } ins(%a, %b : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>)
  return %r : tensor<3xi32>
}

func.func @ceildivsi_i32(%a: tensor<3xi32> {dmc.range = array<i64: -20, 20>}, %b: tensor<3xi32> {dmc.range = array<i64: 1, 5>}) -> tensor<3xi32> attributes {dmc.check = "arith.ceildivsi"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map { arith.ceildivsi } ins(%a, %b : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>)
  return %r : tensor<3xi32>
}

func.func @shli_i8(%a: tensor<3xi8>, %b: tensor<3xi8> {dmc.range = array<i64: 0, 1>}) -> tensor<3xi8> attributes {dmc.check = "arith.shli"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map { arith.shli } ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>)
  return %r : tensor<3xi8>
}

func.func @shrsi_i8(%a: tensor<3xi8>, %b: tensor<3xi8> {dmc.range = array<i64: 0, 1>}) -> tensor<3xi8> attributes {dmc.check = "arith.shrsi"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map { arith.shrsi } ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>)
  return %r : tensor<3xi8>
}

func.func @shrui_i8(%a: tensor<3xi8>, %b: tensor<3xi8> {dmc.range = array<i64: 0, 1>}) -> tensor<3xi8> attributes {dmc.check = "arith.shrui"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map { arith.shrui } ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>)
  return %r : tensor<3xi8>
}

func.func @cmpf_olt(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xi1> attributes {dmc.check = "arith.cmpf"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xi1>)
    (%x0: f32, %x1: f32, %o: i1) {
      %y = arith.cmpf olt, %x0, %x1 : f32
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @cmpf_oge(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xi1> attributes {dmc.check = "arith.cmpf"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xi1>)
    (%x0: f32, %x1: f32, %o: i1) {
      %y = arith.cmpf oge, %x0, %x1 : f32
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @cmpf_oeq(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xi1> attributes {dmc.check = "arith.cmpf"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xi1>)
    (%x0: f32, %x1: f32, %o: i1) {
      %y = arith.cmpf oeq, %x0, %x1 : f32
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @cmpf_une(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xi1> attributes {dmc.check = "arith.cmpf"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xi1>)
    (%x0: f32, %x1: f32, %o: i1) {
      %y = arith.cmpf une, %x0, %x1 : f32
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @cmpi_sgt(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi1> attributes {dmc.check = "arith.cmpi"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a, %b : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi1>)
    (%x0: i32, %x1: i32, %o: i1) {
      %y = arith.cmpi sgt, %x0, %x1 : i32
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @cmpi_sge(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi1> attributes {dmc.check = "arith.cmpi"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a, %b : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi1>)
    (%x0: i32, %x1: i32, %o: i1) {
      %y = arith.cmpi sge, %x0, %x1 : i32
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @cmpi_slt(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi1> attributes {dmc.check = "arith.cmpi"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a, %b : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi1>)
    (%x0: i32, %x1: i32, %o: i1) {
      %y = arith.cmpi slt, %x0, %x1 : i32
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @cmpi_sle(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi1> attributes {dmc.check = "arith.cmpi"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a, %b : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi1>)
    (%x0: i32, %x1: i32, %o: i1) {
      %y = arith.cmpi sle, %x0, %x1 : i32
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @cmpi_eq(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi1> attributes {dmc.check = "arith.cmpi"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a, %b : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi1>)
    (%x0: i32, %x1: i32, %o: i1) {
      %y = arith.cmpi eq, %x0, %x1 : i32
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @cmpi_ne(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi1> attributes {dmc.check = "arith.cmpi"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a, %b : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi1>)
    (%x0: i32, %x1: i32, %o: i1) {
      %y = arith.cmpi ne, %x0, %x1 : i32
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @cmpi_ugt(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi1> attributes {dmc.check = "arith.cmpi"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a, %b : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi1>)
    (%x0: i32, %x1: i32, %o: i1) {
      %y = arith.cmpi ugt, %x0, %x1 : i32
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @cmpi_ugt_i1(%a: tensor<3xi1>, %b: tensor<3xi1>) -> tensor<3xi1> attributes {dmc.check = "arith.cmpi"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a, %b : tensor<3xi1>, tensor<3xi1>) outs(%e : tensor<3xi1>)
    (%x0: i1, %x1: i1, %o: i1) {
      %y = arith.cmpi ugt, %x0, %x1 : i1
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @select(%a: tensor<3xi1>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "arith.select"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a, %b, %c : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: i1, %x1: f32, %x2: f32, %o: f32) {
      %y = arith.select %x0, %x1, %x2 : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @select_i32(%a: tensor<3xi1>, %b: tensor<3xi32>, %c: tensor<3xi32>) -> tensor<3xi32> attributes {dmc.check = "arith.select"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map ins(%a, %b, %c : tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>)
    (%x0: i1, %x1: i32, %x2: i32, %o: i32) {
      %y = arith.select %x0, %x1, %x2 : i32
      linalg.yield %y : i32
    }
  return %r : tensor<3xi32>
}

func.func @extf_bf16_f32(%a: tensor<3xbf16>) -> tensor<3xf32> attributes {dmc.check = "arith.extf"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xbf16>) outs(%e : tensor<3xf32>)
    (%x0: bf16, %o: f32) {
      %y = arith.extf %x0 : bf16 to f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @truncf_f32_bf16(%a: tensor<3xf32>) -> tensor<3xbf16> attributes {dmc.check = "arith.truncf"} {
  %e = tensor.empty() : tensor<3xbf16>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xbf16>)
    (%x0: f32, %o: bf16) {
      %y = arith.truncf %x0 : f32 to bf16
      linalg.yield %y : bf16
    }
  return %r : tensor<3xbf16>
}

func.func @trunci_i32_i8(%a: tensor<3xi32>) -> tensor<3xi8> attributes {dmc.check = "arith.trunci"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi32>) outs(%e : tensor<3xi8>)
    (%x0: i32, %o: i8) {
      %y = arith.trunci %x0 : i32 to i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @extsi_i8_i32(%a: tensor<3xi8>) -> tensor<3xi32> attributes {dmc.check = "arith.extsi"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi32>)
    (%x0: i8, %o: i32) {
      %y = arith.extsi %x0 : i8 to i32
      linalg.yield %y : i32
    }
  return %r : tensor<3xi32>
}

func.func @extui_i8_i32(%a: tensor<3xi8>) -> tensor<3xi32> attributes {dmc.check = "arith.extui"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi32>)
    (%x0: i8, %o: i32) {
      %y = arith.extui %x0 : i8 to i32
      linalg.yield %y : i32
    }
  return %r : tensor<3xi32>
}

func.func @extui_i1_i32(%a: tensor<3xi1>) -> tensor<3xi32> attributes {dmc.check = "arith.extui"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map ins(%a : tensor<3xi1>) outs(%e : tensor<3xi32>)
    (%x0: i1, %o: i32) {
      %y = arith.extui %x0 : i1 to i32
      linalg.yield %y : i32
    }
  return %r : tensor<3xi32>
}

func.func @extsi_i1_i32(%a: tensor<3xi1>) -> tensor<3xi32> attributes {dmc.check = "arith.extsi"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map ins(%a : tensor<3xi1>) outs(%e : tensor<3xi32>)
    (%x0: i1, %o: i32) {
      %y = arith.extsi %x0 : i1 to i32
      linalg.yield %y : i32
    }
  return %r : tensor<3xi32>
}

func.func @sitofp_i8_f32(%a: tensor<3xi8>) -> tensor<3xf32> attributes {dmc.check = "arith.sitofp"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xf32>)
    (%x0: i8, %o: f32) {
      %y = arith.sitofp %x0 : i8 to f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @uitofp_i8_f32(%a: tensor<3xi8>) -> tensor<3xf32> attributes {dmc.check = "arith.uitofp"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xf32>)
    (%x0: i8, %o: f32) {
      %y = arith.uitofp %x0 : i8 to f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @uitofp_i1_f32(%a: tensor<3xi1>) -> tensor<3xf32> attributes {dmc.check = "arith.uitofp"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xi1>) outs(%e : tensor<3xf32>)
    (%x0: i1, %o: f32) {
      %y = arith.uitofp %x0 : i1 to f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @sitofp_i32_f32(%a: tensor<3xi32>) -> tensor<3xf32> attributes {dmc.check = "arith.sitofp"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xi32>) outs(%e : tensor<3xf32>)
    (%x0: i32, %o: f32) {
      %y = arith.sitofp %x0 : i32 to f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @trunci_i32_i1(%a: tensor<3xi32>) -> tensor<3xi1> attributes {dmc.check = "arith.trunci"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a : tensor<3xi32>) outs(%e : tensor<3xi1>)
    (%x0: i32, %o: i1) {
      %y = arith.trunci %x0 : i32 to i1
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @fptosi(%a: tensor<3xf32> {dmc.range = array<i64: 0, 40>}) -> tensor<3xi32> attributes {dmc.check = "arith.fptosi"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xi32>)
    (%x0: f32, %o: i32) {
      %y = arith.fptosi %x0 : f32 to i32
      linalg.yield %y : i32
    }
  return %r : tensor<3xi32>
}

func.func @fptoui(%a: tensor<3xf32> {dmc.range = array<i64: 0, 40>}) -> tensor<3xi32> attributes {dmc.check = "arith.fptoui"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xi32>)
    (%x0: f32, %o: i32) {
      %y = arith.fptoui %x0 : f32 to i32
      linalg.yield %y : i32
    }
  return %r : tensor<3xi32>
}

func.func @bitcast(%a: tensor<3xf32>) -> tensor<3xi32> attributes {dmc.check = "arith.bitcast"} {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xi32>)
    (%x0: f32, %o: i32) {
      %y = arith.bitcast %x0 : f32 to i32
      linalg.yield %y : i32
    }
  return %r : tensor<3xi32>
}

func.func @add_constant(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body add_constant"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %c = arith.constant 2.0 : f32
      %y = arith.addf %x0, %c : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @sub_constant(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body sub_constant"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %c = arith.constant 2.0 : f32
      %y = arith.subf %x0, %c : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @constant_sub(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body constant_sub"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %c = arith.constant 2.0 : f32
      %y = arith.subf %c, %x0 : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @mul_positive(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body mul_positive"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %c = arith.constant 2.0 : f32
      %y = arith.mulf %x0, %c : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @mul_negative(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body mul_negative"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %c = arith.constant -2.0 : f32
      %y = arith.mulf %x0, %c : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @mul_one(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body mul_one"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %c = arith.constant 1.0 : f32
      %y = arith.mulf %x0, %c : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @add_zero(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body add_zero"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %c = arith.constant 0.0 : f32
      %y = arith.addf %x0, %c : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @div_positive(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body div_positive"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %c = arith.constant 2.0 : f32
      %y = arith.divf %x0, %c : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @div_negative(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body div_negative"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %c = arith.constant -2.0 : f32
      %y = arith.divf %x0, %c : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @reciprocal(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body reciprocal"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %c = arith.constant 1.0 : f32
      %y = arith.divf %c, %x0 : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @relu(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body relu"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %c = arith.constant 0.0 : f32
      %y = arith.maximumf %x0, %c : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @maxnum_constant(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body maxnum_constant"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %c = arith.constant 0.0 : f32
      %y = arith.maxnumf %x0, %c : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @square(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body square"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %y = arith.mulf %x0, %x0 : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @twice(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body twice"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %y = arith.addf %x0, %x0 : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @logistic(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body logistic"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %c = arith.constant 1.0 : f32
      %n = arith.negf %x0 : f32
      %q = math.exp %n : f32
      %d = arith.addf %c, %q : f32
      %y = arith.divf %c, %d : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @clamp(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body clamp"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %l = arith.constant -1.0 : f32
      %h = arith.constant 1.0 : f32
      %m = arith.maximumf %x0, %l : f32
      %y = arith.minimumf %m, %h : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @addi_constant(%a: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "body addi_constant"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi8>)
    (%x0: i8, %o: i8) {
      %c = arith.constant 2 : i8
      %y = arith.addi %x0, %c : i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @muli_constant(%a: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "body muli_constant"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi8>)
    (%x0: i8, %o: i8) {
      %c = arith.constant 3 : i8
      %y = arith.muli %x0, %c : i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @muli_itself(%a: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "body muli_itself"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi8>)
    (%x0: i8, %o: i8) {
      %y = arith.muli %x0, %x0 : i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @negi(%a: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "body negi"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi8>)
    (%x0: i8, %o: i8) {
      %c = arith.constant 0 : i8
      %y = arith.subi %c, %x0 : i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @noti(%a: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "body noti"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi8>)
    (%x0: i8, %o: i8) {
      %c = arith.constant -1 : i8
      %y = arith.xori %x0, %c : i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @shli_constant(%a: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "body shli_constant"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi8>)
    (%x0: i8, %o: i8) {
      %c = arith.constant 2 : i8
      %y = arith.shli %x0, %c : i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @constant_shli(%a: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "body constant_shli"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi8>)
    (%x0: i8, %o: i8) {
      %c = arith.constant 2 : i8
      %m = arith.andi %x0, %c : i8
      %y = arith.shli %c, %m : i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @shrsi_constant(%a: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "body shrsi_constant"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi8>)
    (%x0: i8, %o: i8) {
      %c = arith.constant 1 : i8
      %y = arith.shrsi %x0, %c : i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @shrui_constant(%a: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "body shrui_constant"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi8>)
    (%x0: i8, %o: i8) {
      %c = arith.constant 1 : i8
      %y = arith.shrui %x0, %c : i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @mask_constant(%a: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "body mask_constant"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi8>)
    (%x0: i8, %o: i8) {
      %c = arith.constant 15 : i8
      %y = arith.andi %x0, %c : i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @maxsi_constant(%a: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "body maxsi_constant"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi8>)
    (%x0: i8, %o: i8) {
      %c = arith.constant 1 : i8
      %y = arith.maxsi %x0, %c : i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @divsi_constant(%a: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "body divsi_constant"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi8>)
    (%x0: i8, %o: i8) {
      %c = arith.constant 3 : i8
      %y = arith.divsi %x0, %c : i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @divui_constant(%a: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "body divui_constant"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi8>)
    (%x0: i8, %o: i8) {
      %c = arith.constant 3 : i8
      %y = arith.divui %x0, %c : i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @floordivsi_constant(%a: tensor<3xi8>) -> tensor<3xi8> attributes {dmc.check = "body floordivsi_constant"} {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.map ins(%a : tensor<3xi8>) outs(%e : tensor<3xi8>)
    (%x0: i8, %o: i8) {
      %c = arith.constant 3 : i8
      %y = arith.floordivsi %x0, %c : i8
      linalg.yield %y : i8
    }
  return %r : tensor<3xi8>
}

func.func @not(%a: tensor<3xi1>) -> tensor<3xi1> attributes {dmc.check = "body not"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a : tensor<3xi1>) outs(%e : tensor<3xi1>)
    (%x0: i1, %o: i1) {
      %c = arith.constant true
      %y = arith.xori %x0, %c : i1
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @cmpi_constant(%a: tensor<3xi32>) -> tensor<3xi1> attributes {dmc.check = "body cmpi_constant"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a : tensor<3xi32>) outs(%e : tensor<3xi1>)
    (%x0: i32, %o: i1) {
      %c = arith.constant 1 : i32
      %y = arith.cmpi sgt, %x0, %c : i32
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @select_zero(%a: tensor<3xi1>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body select_zero"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a, %b : tensor<3xi1>, tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: i1, %x1: f32, %o: f32) {
      %c = arith.constant 0.0 : f32
      %y = arith.select %x0, %x1, %c : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @select_one(%a: tensor<3xi1>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body select_one"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a, %b : tensor<3xi1>, tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: i1, %x1: f32, %o: f32) {
      %c = arith.constant 1.0 : f32
      %y = arith.select %x0, %c, %x1 : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @select_seven(%a: tensor<3xi1>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body select_seven"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a, %b : tensor<3xi1>, tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: i1, %x1: f32, %o: f32) {
      %c = arith.constant 7.0 : f32
      %y = arith.select %x0, %x1, %c : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @select_itself(%a: tensor<3xi1>) -> tensor<3xi1> attributes {dmc.check = "body select_itself"} {
  %e = tensor.empty() : tensor<3xi1>
  %r = linalg.map ins(%a : tensor<3xi1>) outs(%e : tensor<3xi1>)
    (%x0: i1, %o: i1) {
      %c = arith.constant false
      %y = arith.select %x0, %x0, %c : i1
      linalg.yield %y : i1
    }
  return %r : tensor<3xi1>
}

func.func @multiply_add(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body multiply_add"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a, %b, %c : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %x1: f32, %x2: f32, %o: f32) {
      %m = arith.mulf %x0, %x1 : f32
      %y = arith.addf %m, %x2 : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @max_of_negated(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body max_of_negated"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %x1: f32, %o: f32) {
      %n = arith.negf %x1 : f32
      %y = arith.maximumf %x0, %n : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @extend_add(%a: tensor<3xbf16>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body extend_add"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a, %b : tensor<3xbf16>, tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: bf16, %x1: f32, %o: f32) {
      %n = arith.extf %x0 : bf16 to f32
      %y = arith.addf %n, %x1 : f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @narrow_widen(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body narrow_widen"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>)
    (%x0: f32, %o: f32) {
      %n = arith.truncf %x0 : f32 to bf16
      %y = arith.extf %n : bf16 to f32
      linalg.yield %y : f32
    }
  return %r : tensor<3xf32>
}

func.func @add_in_two_dimensions(%a: tensor<5x2xf32>, %b: tensor<5x2xf32>) -> tensor<5x2xf32> attributes {dmc.check = "two dimensions"} {
  %e = tensor.empty() : tensor<5x2xf32>
  %r = linalg.map { arith.addf } ins(%a, %b : tensor<5x2xf32>, tensor<5x2xf32>) outs(%e : tensor<5x2xf32>)
  return %r : tensor<5x2xf32>
}

func.func @same_twice(%a: tensor<5x2xf32>) -> tensor<5x2xf32> attributes {dmc.check = "same value twice"} {
  %e = tensor.empty() : tensor<5x2xf32>
  %r = linalg.map { arith.mulf } ins(%a, %a : tensor<5x2xf32>, tensor<5x2xf32>) outs(%e : tensor<5x2xf32>)
  return %r : tensor<5x2xf32>
}

func.func @same_twice_added(%a: tensor<5x2xf32>) -> tensor<5x2xf32> attributes {dmc.check = "same value twice"} {
  %e = tensor.empty() : tensor<5x2xf32>
  %r = linalg.map { arith.addf } ins(%a, %a : tensor<5x2xf32>, tensor<5x2xf32>) outs(%e : tensor<5x2xf32>)
  return %r : tensor<5x2xf32>
}

func.func @in_place(%a: tensor<5x2xf32>) -> tensor<5x2xf32> attributes {dmc.check = "same value twice"} {
  %r = linalg.map { arith.addf } ins(%a, %a : tensor<5x2xf32>, tensor<5x2xf32>) outs(%a : tensor<5x2xf32>)
  return %r : tensor<5x2xf32>
}

func.func @addf_splat(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "constant operand"} {
  %c = arith.constant dense<2.0> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.addf } ins(%a, %c : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @mulf_splat(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "constant operand"} {
  %c = arith.constant dense<2.0> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.mulf } ins(%a, %c : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @maximumf_splat(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "constant operand"} {
  %c = arith.constant dense<2.0> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.maximumf } ins(%a, %c : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @addf_zeros(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "constant operand"} {
  %c = arith.constant dense<0.0> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.addf } ins(%a, %c : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @mulf_zeros(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "constant operand"} {
  %c = arith.constant dense<0.0> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.mulf } ins(%a, %c : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @maximumf_zeros(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "constant operand"} {
  %c = arith.constant dense<0.0> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.maximumf } ins(%a, %c : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @addf_constant(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "constant operand"} {
  %c = arith.constant dense<[1.0, -2.0, 0.0]> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.addf } ins(%a, %c : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @mulf_constant(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "constant operand"} {
  %c = arith.constant dense<[1.0, -2.0, 0.0]> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.mulf } ins(%a, %c : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @maximumf_constant(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "constant operand"} {
  %c = arith.constant dense<[1.0, -2.0, 0.0]> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.maximumf } ins(%a, %c : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @fill_operand(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "constant operand"} {
  %s = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %c = linalg.fill ins(%s : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %f = tensor.empty() : tensor<3xf32>
  %r = linalg.map { arith.addf } ins(%a, %c : tensor<3xf32>, tensor<3xf32>) outs(%f : tensor<3xf32>)
  return %r : tensor<3xf32>
}
