//===- ConvertRandom.cpp - Random bits ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rng_bit_generator: each element computes the block of the cipher that it is a
// word of, from the state and its own position.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dmc;

namespace {
/// Arithmetic on 32 and 64 bit words.
struct Words {
  OpBuilder &b;
  Location loc;

  Value constant(unsigned bits, uint64_t value) {
    return arith::ConstantOp::create(b, loc,
                                     b.getIntegerAttr(b.getIntegerType(bits), APInt(bits, value)));
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value exclusiveOr(Value x, Value y) { return arith::XOrIOp::create(b, loc, x, y); }
  Value low(Value x) { return arith::TruncIOp::create(b, loc, b.getI32Type(), x); }
  Value high(Value x) { return low(arith::ShRUIOp::create(b, loc, x, constant(64, 32))); }
  Value extend(Value x) { return arith::ExtUIOp::create(b, loc, b.getI64Type(), x); }
  Value join(Value low, Value high) {
    Value shifted = arith::ShLIOp::create(b, loc, extend(high), constant(64, 32));
    return arith::OrIOp::create(b, loc, extend(low), shifted);
  }
  Value rotateLeft(Value x, unsigned bits) {
    Value left = arith::ShLIOp::create(b, loc, x, constant(32, bits));
    Value right = arith::ShRUIOp::create(b, loc, x, constant(32, 32 - bits));
    return arith::OrIOp::create(b, loc, left, right);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value equals(Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
  }
  Value isLess(Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, y);
  }
};

} // namespace

/// Threefry-2x32 of 20 rounds.
static std::pair<Value, Value> buildThreefry(Words w, Value key, Value counter) {
  static constexpr unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  Value keys[3] = {w.low(key), w.high(key), {}};
  keys[2] = w.exclusiveOr(w.exclusiveOr(keys[0], keys[1]), w.constant(32, 0x1BD11BDA));
  Value x = w.add(w.low(counter), keys[0]), y = w.add(w.high(counter), keys[1]);
  for (unsigned round = 0; round < 5; ++round) {
    for (unsigned rotation : rotations[round % 2]) {
      x = w.add(x, y);
      y = w.exclusiveOr(w.rotateLeft(y, rotation), x);
    }
    x = w.add(x, keys[(round + 1) % 3]);
    y = w.add(w.add(y, keys[(round + 2) % 3]), w.constant(32, round + 1));
  }
  return {x, y};
}

/// Philox-4x32 of 10 rounds; the counter is of 128 bits.
static SmallVector<Value> buildPhilox(Words w, Value key, Value counter, Value counterHigh) {
  Value k0 = w.low(key), k1 = w.high(key);
  SmallVector<Value> x = {w.low(counter), w.high(counter), w.low(counterHigh), w.high(counterHigh)};
  for (unsigned round = 0; round < 10; ++round) {
    Value p = w.mul(w.extend(x[0]), w.constant(64, 0xD2511F53));
    Value q = w.mul(w.extend(x[2]), w.constant(64, 0xCD9E8D57));
    x = {w.exclusiveOr(w.exclusiveOr(w.high(q), x[1]), k0), w.low(q),
         w.exclusiveOr(w.exclusiveOr(w.high(p), x[3]), k1), w.low(p)};
    k0 = w.add(k0, w.constant(32, 0x9E3779B9));
    k1 = w.add(k1, w.constant(32, 0xBB67AE85));
  }
  return x;
}

/// The dimension along which the two words of a Threefry block alternate: the first
/// even one, or else the largest.
static int64_t getPairDim(ArrayRef<int64_t> shape) {
  const auto *even = llvm::find_if(shape, [](int64_t size) { return size % 2 == 0; });
  return (even != shape.end() ? even : std::max_element(shape.begin(), shape.end())) -
         shape.begin();
}

/// The row-major number of the element that the loops stand at in a shape; along
/// dimension `halved` two neighbours count as one.
static Value buildLinearIndex(Words w, ArrayRef<int64_t> shape, int64_t halved) {
  Value linear = w.constant(64, 0);
  for (auto [dim, size] : llvm::enumerate(shape)) {
    Value index = arith::IndexCastOp::create(w.b, w.loc, w.b.getI64Type(),
                                             linalg::IndexOp::create(w.b, w.loc, dim));
    bool isHalved = static_cast<int64_t>(dim) == halved;
    if (isHalved)
      index = arith::ShRUIOp::create(w.b, w.loc, index, w.constant(64, 1));
    linear = w.add(w.mul(linear, w.constant(64, isHalved ? (size + 1) / 2 : size)), index);
  }
  return linear;
}

static LogicalResult convertRngBitGenerator(Converter &c, Operation *op) {
  auto source = cast<stablehlo::RngBitGeneratorOp>(op);
  Location loc = op->getLoc();
  OpBuilder &b = c.b;
  // Of floats the bits, as XLA has it.
  RankedTensorType resultType = c.typeOf(source.getOutput());
  RankedTensorType type = resultType.clone(b.getIntegerType(resultType.getElementTypeBitWidth()));
  RankedTensorType stateType = c.typeOf(source.getInitialState());
  if (!stateType.getElementType().isInteger(64))
    return unsupported(op) << "with a state of " << stateType << "; expected words of 64 bits";
  bool isThreefry = source.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY;
  bool isWide = type.getElementTypeBitWidth() == 64;
  ArrayRef<int64_t> shape = type.getShape();
  int64_t pairDim = isThreefry && !isWide && !shape.empty() ? getPairDim(shape) : -1;

  // Words of an element's block, and the number of blocks.
  unsigned wordsInBlock = isThreefry ? (isWide ? 1 : 2) : (isWide ? 2 : 4);
  int64_t numBlocks = llvm::divideCeil(type.getNumElements(), wordsInBlock);
  if (pairDim >= 0)
    numBlocks = type.getNumElements() / shape[pairDim] * llvm::divideCeil(shape[pairDim], 2);

  SmallVector<Value> words;
  for (int64_t i = 0; i < stateType.getDimSize(0); ++i)
    words.push_back(c.reshape(loc, c.slice(loc, c[source.getInitialState()], {i}, {1}, {1}), {}));
  // Philox's counter is of 128 bits; a state of two words has the key in its upper half.
  if (!isThreefry && words.size() == 2)
    words.push_back(words.front());

  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) {
    Words w{b, loc};
    Value linear = buildLinearIndex(w, shape, pairDim);
    Value word = w.constant(64, 0), block = linear;
    if (pairDim >= 0) {
      Value index = arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                               linalg::IndexOp::create(b, loc, pairDim));
      word = arith::AndIOp::create(b, loc, index, w.constant(64, 1));
    } else if (!isThreefry) {
      word = arith::RemUIOp::create(b, loc, linear, w.constant(64, wordsInBlock));
      block = arith::DivUIOp::create(b, loc, linear, w.constant(64, wordsInBlock));
    }
    Value counter = w.add(elements[1], block);
    SmallVector<Value> block32;
    if (isThreefry) {
      auto [x, y] = buildThreefry(w, elements[0], counter);
      block32 = {x, y};
    } else {
      Value carry = w.extend(w.isLess(counter, block));
      block32 = buildPhilox(w, elements[0], counter, w.add(elements[2], carry));
    }
    SmallVector<Value> choices;
    for (unsigned i = 0; i < block32.size(); i += isWide ? 2 : 1)
      choices.push_back(isWide ? w.join(block32[i], block32[i + 1]) : block32[i]);
    Value result = choices.front();
    for (unsigned i = 1; i < choices.size(); ++i)
      result = w.select(w.equals(word, w.constant(64, i)), choices[i], result);
    linalg::YieldOp::create(b, loc, castScalar(b, loc, result, type.getElementType(), true));
  };
  SmallVector<AffineMap> maps(words.size(), AffineMap::get(type.getRank(), 0, b.getContext()));
  maps.push_back(b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value bits =
      linalg::GenericOp::create(b, loc, type, words, c.empty(loc, type), maps, iterators, body)
          .getResult(0);
  if (type != resultType)
    bits = c.elementwise(loc, bits, resultType, [&](OpBuilder &b, ValueRange elements) -> Value {
      return arith::BitcastOp::create(b, loc, resultType.getElementType(), elements[0]);
    });
  c.map(source.getOutput(), bits);

  // The state behind the blocks that were used.
  auto word = cast<RankedTensorType>(words.front().getType());
  auto advance = [&](ValueRange inputs, function_ref<Value(Words, ValueRange)> build) {
    Value result = c.elementwise(loc, inputs, word, [&](OpBuilder &b, ValueRange elements) {
      return build(Words{b, loc}, elements);
    });
    return c.reshape(loc, result, {1});
  };
  SmallVector<Value> parts = {c.reshape(loc, words[0], {1})};
  parts.push_back(advance(words[1], [&](Words w, ValueRange elements) {
    return w.add(elements[0], w.constant(64, numBlocks));
  }));
  if (stateType.getDimSize(0) == 3)
    parts.push_back(advance({words[1], words[2]}, [&](Words w, ValueRange elements) {
      Value count = w.constant(64, numBlocks);
      Value carry = w.extend(w.isLess(w.add(elements[0], count), count));
      return w.add(elements[1], carry);
    }));
  c.map(source.getOutputState(), tensor::ConcatOp::create(b, loc, stateType, 0, parts));
  return success();
}

void dmc::registerRandomConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["stablehlo.rng_bit_generator"] = convertRngBitGenerator;
}
