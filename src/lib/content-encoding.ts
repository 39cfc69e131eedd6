import Negotiator from 'negotiator'

/** Best compression first. */
const contentEncodings = ['br', 'gzip'] as const
export type ContentEncoding = (typeof contentEncodings)[number]

/** Returns the best compression that the client accepts, even if the client prefers another, or undefined to send the response uncompressed. */
export function chooseEncoding(
  acceptEncoding: string | string[] | undefined,
  isAvailable: (encoding: ContentEncoding) => boolean = () => true,
): ContentEncoding | undefined {
  const headers = { 'accept-encoding': String(acceptEncoding ?? '') }
  const acceptedEncodings = new Negotiator({ headers }).encodings([...contentEncodings])
  return contentEncodings.find((encoding) => isAvailable(encoding) && acceptedEncodings.includes(encoding))
}
