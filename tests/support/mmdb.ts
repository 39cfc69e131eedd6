/** Writes small MMDB 2.0 databases, so that tests can read them with the real library. */
import ipaddr from 'ipaddr.js'

export type MmdbValue = string | number | boolean | MmdbValue[] | { [key: string]: MmdbValue }

interface MmdbOptions {
  ipVersion?: 4 | 6
  type?: string
}

/** Maps networks such as 203.0.113.0/24 to records. An IPv6 database holds IPv4 networks under ::/96. */
export function writeMmdb(
  networks: Record<string, MmdbValue>,
  { ipVersion = 6, type = 'Test-City' }: MmdbOptions = {},
): Buffer {
  const tree = new Tree()
  const data: Buffer[] = []
  let size = 0
  for (const [network, value] of Object.entries(networks)) {
    tree.insert(toBits(network, ipVersion), size)
    const bytes = encode(value)
    data.push(bytes)
    size += bytes.length
  }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_767_225_600,
    database_type: type,
    description: { en: 'For tests' },
    ip_version: ipVersion,
    languages: ['en'],
    node_count: tree.size,
    record_size: 24,
  })
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.concat([tree.encode(), Buffer.alloc(16), ...data, marker, metadata])
}

function toBits(network: string, ipVersion: 4 | 6): string {
  const [address, prefix] = ipaddr.parseCIDR(network)
  const bits = address.toByteArray().map((byte) => byte.toString(2).padStart(8, '0'))
  const isPadded = ipVersion === 6 && address.kind() === 'ipv4'
  return (isPadded ? '0'.repeat(96) : '') + bits.join('').slice(0, prefix)
}

/** The index of another node, or the offset of a record in the data section. */
type Child = { node: number } | { offset: number } | undefined

class Tree {
  readonly #nodes: [Child, Child][] = [[undefined, undefined]]

  get size(): number {
    return this.#nodes.length
  }

  insert(bits: string, offset: number): void {
    let node = this.#nodes[0] as [Child, Child]
    for (const bit of bits.slice(0, -1)) {
      let child = node[Number(bit)]
      if (child === undefined || 'offset' in child) {
        child = { node: this.#nodes.push([child, child]) - 1 }
        node[Number(bit)] = child
      }
      node = this.#nodes[child.node] as [Child, Child]
    }
    node[Number(bits.at(-1))] = { offset }
  }

  encode(): Buffer {
    const bytes = Buffer.alloc(this.size * 6)
    this.#nodes.flat().forEach((child, index) => {
      bytes.writeUIntBE(this.#toPointer(child), index * 3, 3)
    })
    return bytes
  }

  #toPointer(child: Child): number {
    if (child === undefined) return this.size
    return 'node' in child ? child.node : this.size + 16 + child.offset
  }
}

const types = { string: 2, double: 3, map: 7, uint32: 6, array: 11, boolean: 14 }

function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([encodeControl(types.string, text.length), text])
  }
  if (typeof value === 'boolean') return encodeControl(types.boolean, Number(value))
  if (typeof value === 'number') return encodeNumber(value)
  if (Array.isArray(value)) return Buffer.concat([encodeControl(types.array, value.length), ...value.map(encode)])
  const entries = Object.entries(value)
  return Buffer.concat([encodeControl(types.map, entries.length), ...entries.flat().map(encode)])
}

function encodeNumber(value: number): Buffer {
  if (Number.isInteger(value) && value >= 0) {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([encodeControl(types.uint32, 4), bytes])
  }
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return Buffer.concat([encodeControl(types.double, 8), bytes])
}

/** Encodes the control byte of a value. Types from 8 and sizes from 29 take a second byte. */
function encodeControl(type: number, size: number): Buffer {
  if (size >= 285) throw new Error('Values of 285 bytes and more are not supported')
  const sizeBits = Math.min(size, 29)
  return Buffer.from([
    ...(type < 8 ? [(type << 5) | sizeBits] : [sizeBits, type - 7]),
    ...(size >= 29 ? [size - 29] : []),
  ])
}
