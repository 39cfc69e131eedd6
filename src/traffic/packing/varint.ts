/**
 * Sequences of non-negative whole numbers, stored as base64 text: a version, then varints.
 *
 * Data that was stored before versions were introduced counts as version 0. All later data begins with this prefix and a
 * byte for the version. Data of version 0 never begins with the prefix: a varint of several bytes never ends in 0x00,
 * because the writer leaves out leading zeros.
 */
import { truncatedError, VarintReader, VarintWriter } from '../model/varint.ts'

const VERSION_PREFIX = [0x80, 0x00] as const

export class VersionedVarintWriter extends VarintWriter {
  /** `version` must be between 1 and 255. */
  constructor(version: number) {
    super()
    for (const byte of [...VERSION_PREFIX, version]) this.writeByte(byte)
  }

  override toString(): string {
    return this.bytes.toString('base64')
  }
}

export class VersionedVarintReader extends VarintReader {
  /** 0 for data that was stored before versions were introduced. */
  readonly version: number

  constructor(packed: string, latestVersion: number) {
    const bytes = Buffer.from(packed, 'base64')
    const hasVersion = VERSION_PREFIX.every((byte, index) => bytes[index] === byte)
    const version = hasVersion ? bytes[VERSION_PREFIX.length] : 0
    if (version === undefined) throw truncatedError()
    if (version > latestVersion) {
      throw new RangeError(`Packed data of version ${version}: only versions up to ${latestVersion} can be read.`)
    }
    super(bytes, hasVersion ? VERSION_PREFIX.length + 1 : 0)
    this.version = version
  }
}
