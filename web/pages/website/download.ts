/** A link cannot say that it wants CSV, so it is asked for here and handed to the browser as a file. */
import { Problem } from '../../lib/api.ts'

export async function downloadCsv(path: string): Promise<void> {
  let response: Response
  try {
    response = await fetch(new URL(path, document.baseURI), { headers: { accept: 'text/csv' } })
  } catch {
    throw new Problem({ status: 0, code: 'unreachable', message: 'The server cannot be reached.' })
  }
  if (!response.ok) {
    const message = `The server answered ${response.status}.`
    const answer = await response.json().catch(() => undefined)
    throw new Problem({ status: response.status, code: 'unexpected', message, ...answer })
  }
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'statistics.csv'
  const address = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
