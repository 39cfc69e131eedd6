import { describe, expect, it } from 'vitest'
import { VarintReader, VarintWriter } from './varint.ts'

const bytesOf = (number: number) => {
  const writer = new VarintWriter(1)
  writer.write(number)
  return [...Buffer.from(writer.toString(), 'base64')].slice(3)
}

describe('a varint', () => {
  // This is how the reader tells data with a version from data without one.
  it('never begins with the two bytes that announce a version', () => {
    for (let bits = 0; bits <= 53; bits++) {
      for (const number of [2 ** bits - 1, Math.min(2 ** bits, Number.MAX_SAFE_INTEGER)]) {
        expect(bytesOf(number).slice(0, 2)).not.toEqual([0x80, 0x00])
      }
    }
    for (let number = 0; number < 40_000; number++) {
      expect(bytesOf(number).slice(0, 2)).not.toEqual([0x80, 0x00])
    }
  })

  it.each([-1, 1.5, Number.NaN, 2 ** 53])('cannot hold %d', (number) => {
    expect(() => new VarintWriter(1).write(number)).toThrow(`${number} cannot be packed.`)
  })

  it('is read after the version', () => {
    const writer = new VarintWriter(200)
    for (const number of [0, 127, 128, Number.MAX_SAFE_INTEGER]) writer.write(number)
    const reader = new VarintReader(writer.toString(), 255)
    expect(reader.version).toBe(200)
    expect([reader.next(), reader.next(), reader.next(), reader.next()]).toEqual([0, 127, 128, Number.MAX_SAFE_INTEGER])
    expect(reader.isAtEnd).toBe(true)
  })
})
