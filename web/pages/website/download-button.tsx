/** Downloads the rows of a panel as CSV. */
import { Download } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { type ApiProblem, api, toApiProblem } from '../../lib/api.ts'
import { showProblem } from '../../lib/toasts.ts'

interface DownloadButtonProps {
  path: string
  label: string
  /** Shows the label beside the icon instead of in a tooltip. */
  isTextShown?: boolean
  /**
   * Called with the problem if a download fails, and with undefined when another download starts. By default, a problem
   * is shown as a toast.
   */
  onProblem?: (problem: ApiProblem | undefined) => void
}

export function DownloadButton({ path, label, isTextShown = false, onProblem }: DownloadButtonProps) {
  const [isBusy, setBusy] = useState(false)
  async function download() {
    setBusy(true)
    onProblem?.(undefined)
    try {
      await downloadCsv(path)
    } catch (error) {
      const problem = toApiProblem(error)
      if (onProblem === undefined) showProblem(problem)
      else onProblem(problem)
    }
    setBusy(false)
  }
  const button = (
    <Button
      small
      icon={Download}
      kind={isTextShown ? 'plain' : 'quiet'}
      busy={isBusy}
      aria-label={isTextShown ? undefined : label}
      onClick={() => void download()}
    >
      {isTextShown ? label : undefined}
    </Button>
  )
  return isTextShown ? button : <Tooltip content={label}>{button}</Tooltip>
}

/** The browser needs the URL until it has saved the file. */
const REVOKE_URL_DELAY_MS = 60_000

/** Uses fetch, because a plain link can't send the Accept header that selects CSV. */
async function downloadCsv(path: string): Promise<void> {
  const response = await api.download(path, 'text/csv')
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'statistics.csv'
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_URL_DELAY_MS)
}
