/** Recognizes the format of an icon by its bytes. The type that the server names may be wrong, so it isn't used. */

const signatures: readonly (readonly [type: string, offset: number, bytes: string])[] = [
  ['image/png', 0, '89504e470d0a1a0a'],
  ['image/x-icon', 0, '00000100'],
  ['image/jpeg', 0, 'ffd8ff'],
  ['image/gif', 0, '47494638'],
  ['image/webp', 8, '57454250'],
]

/** Returns undefined if the bytes are not an icon in a known format. */
export function detectImageType(bytes: Buffer): string | undefined {
  for (const [type, offset, signature] of signatures) {
    if (bytes.toString('hex', offset, offset + signature.length / 2) === signature) return type
  }
  return isSvg(bytes) ? 'image/svg+xml' : undefined
}

/** SVG may begin with a byte order mark, an XML declaration, comments and a document type. */
function isSvg(bytes: Buffer): boolean {
  // A regular expression for all of this could take exponential time for a malicious file.
  let rest = bytes.toString('utf8').trimStart()
  while (!/^<svg[\s>]/i.test(rest)) {
    const end = rest.startsWith('<!--') ? '-->' : /^<[?!]/.test(rest) ? '>' : undefined
    const endIndex = end === undefined ? -1 : rest.indexOf(end)
    if (end === undefined || endIndex === -1) return false
    rest = rest.slice(endIndex + end.length).trimStart()
  }
  return true
}
