/** In the order in which we like them. */
const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** Named, or meant by `*`, and not refused by `q=0`. */
function accepts(offers: readonly string[], encoding: Encoding): boolean {
  const find = (name: string) => offers.find((offer) => offer.split(';', 1)[0]?.trim() === name)
  const offer = find(encoding) ?? find('*')
  return offer !== undefined && !/;\s*q=0(\.0*)?\s*$/.test(offer)
}

/** What Accept-Encoding takes of what there is; undefined: as it is. */
export function chooseEncoding(
  header: string | string[] | undefined,
  has: (encoding: Encoding) => boolean = () => true,
): Encoding | undefined {
  const offers = String(header ?? '')
    .toLowerCase()
    .split(',')
  return encodings.find((encoding) => has(encoding) && accepts(offers, encoding))
}
