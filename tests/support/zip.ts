/** Writes minimal ZIP archives. */
import { crc32, deflateRawSync } from 'node:zlib'

interface ZipEntry {
  name: string
  text: string
  /** Stores the text without compression. */
  isStored?: boolean
}

export function createZip(entries: ZipEntry[], { comment = '' } = {}): Buffer {
  const contents: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, text, isStored = false } of entries) {
    const content = isStored ? Buffer.from(text) : deflateRawSync(text)
    const commonFields = Buffer.alloc(26)
    commonFields.writeUInt16LE(20, 0)
    commonFields.writeUInt16LE(0x800, 2)
    commonFields.writeUInt16LE(isStored ? 0 : 8, 4)
    commonFields.writeUInt32LE(crc32(text), 10)
    commonFields.writeUInt32LE(content.length, 14)
    commonFields.writeUInt32LE(Buffer.byteLength(text), 18)
    commonFields.writeUInt16LE(Buffer.byteLength(name), 22)
    const directoryFields = Buffer.alloc(14)
    directoryFields.writeUInt32LE(offset, 10)
    const localEntry = Buffer.concat([Buffer.from('PK\x03\x04'), commonFields, Buffer.from(name), content])
    contents.push(localEntry)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), commonFields, directoryFields, Buffer.from(name)]))
    offset += localEntry.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(Buffer.concat(directory).length, 8)
  end.writeUInt32LE(offset, 12)
  end.writeUInt16LE(comment.length, 16)
  return Buffer.concat([...contents, ...directory, Buffer.from('PK\x05\x06'), end, Buffer.from(comment)])
}
