/** In the order in which we like them. */
const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

function accepts(header: string, encoding: string): boolean {
  const found = new RegExp(`(?:^|,)\\s*${encoding}\\s*(?:;\\s*q=([\\d.]+)\\s*)?(?:,|$)`, 'i').exec(header)
  return found !== null && Number(found[1] ?? 1) > 0
}

/** What Accept-Encoding takes of what there is; undefined: as it is. */
export function chooseEncoding(
  header: string | string[] | undefined,
  has: (encoding: Encoding) => boolean = () => true,
): Encoding | undefined {
  const wanted = String(header ?? '')
  return encodings.find((encoding) => has(encoding) && accepts(wanted, encoding))
}
