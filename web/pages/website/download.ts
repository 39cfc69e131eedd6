/** Downloads CSV with fetch, because a plain link can't send the Accept header that selects CSV. */
import { api } from '../../lib/api.ts'

/** Long enough for the browser to save the file. */
const REVOKE_URL_DELAY_MS = 60_000

export async function downloadCsv(path: string): Promise<void> {
  const response = await api.download(path, 'text/csv')
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'statistics.csv'
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_URL_DELAY_MS)
}
