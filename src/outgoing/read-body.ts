/** Reads the response of a server that may send more than it should. */
import type { Dispatcher } from 'undici'

/** Returns at most `maxBytes`. `isComplete` is false if the body is longer. */
export async function readLimitedBody(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<{ bytes: Buffer; isComplete: boolean }> {
  // Destroying a body that isn't complete emits an error. Without a listener, it would end the process.
  body.on('error', () => {})
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    // Leaving the loop destroys the body.
    if (length > maxBytes) break
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isComplete: length <= maxBytes }
}

/** Returns undefined if the body is longer than `maxBytes`. */
export async function readLimitedText(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<string | undefined> {
  const { bytes, isComplete } = await readLimitedBody(body, maxBytes)
  return isComplete ? bytes.toString('utf8') : undefined
}

/** Ends the connection of a response whose body nobody reads, such as that of a redirect. */
export function discardBody(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => {})
  body.destroy()
}
