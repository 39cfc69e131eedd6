import Negotiator from 'negotiator'

/** Best compression first. */
const contentEncodings = ['br', 'gzip'] as const
export type ContentEncoding = (typeof contentEncodings)[number]

/**
 * undefined: send uncompressed. Of the encodings that the client accepts we choose the smallest, whatever preference it
 * states, because it has to store and transfer less.
 */
export function chooseEncoding(
  acceptEncoding: string | string[] | undefined,
  isAvailable: (encoding: ContentEncoding) => boolean = () => true,
): ContentEncoding | undefined {
  const headers = { 'accept-encoding': String(acceptEncoding ?? '') }
  const accepted = new Negotiator({ headers }).encodings([...contentEncodings])
  return contentEncodings.find((encoding) => isAvailable(encoding) && accepted.includes(encoding))
}
