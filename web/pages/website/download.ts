/** A link cannot say that it wants CSV, so it is asked for here and handed to the browser as a file. */
import { api } from '../../lib/api.ts'

export async function downloadCsv(path: string): Promise<void> {
  const response = await api.file(path, 'text/csv')
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'statistics.csv'
  const address = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
