/** Fixes for visits that arrived but were not counted as expected. Each fix takes one click and can be undone. */
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { toDisplayHost } from '../../lib/address.ts'
import { api, type ItemResponse } from '../../lib/api.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'

type Settings = Partial<Pick<WebsiteRecord, 'exclude_bots' | 'exclude_ips'>>

async function changeSettings(id: number, settings: Settings): Promise<void> {
  const { data } = await api.put<ItemResponse<WebsiteRecord>>(`api/v1/websites/${id}`, settings)
  queryClient.setQueryData(queryKeys.website(id), data)
}

async function changeWithUndo(id: number, settings: Settings, previous: Settings, text: string): Promise<void> {
  try {
    await changeSettings(id, settings)
    showToast(text, { undo: () => void changeSettings(id, previous).catch(showProblem) })
  } catch (error) {
    showProblem(error)
  }
}

export const includeBots = ({ id }: WebsiteRecord) =>
  changeWithUndo(id, { exclude_bots: 0 }, { exclude_bots: 1 }, 'Bots are counted now. Open your website again.')

export function removeExclusion({ id, exclude_ips }: WebsiteRecord, line: string): Promise<void> {
  const remainingLines = (exclude_ips ?? '').split('\n').filter((each) => each !== line)
  return changeWithUndo(
    id,
    { exclude_ips: remainingLines.join('\n') },
    { exclude_ips },
    `${line} is no longer excluded. Open your website again.`,
  )
}

/** Adds another website with the settings of this one. A password can't be copied, so a protected website becomes private. */
export async function addSimilarWebsite(
  website: WebsiteRecord,
  domain: string,
  navigate: (path: string) => void,
): Promise<void> {
  const { email, exclude_bots, exclude_params, exclude_ips, time_zone } = website
  const settings = { email, exclude_bots, exclude_params, exclude_ips, time_zone }
  const privacy = website.privacy === 0 ? 0 : 1
  try {
    const { data } = await api.post<ItemResponse<WebsiteRecord>>('api/v1/websites', { domain, privacy, ...settings })
    await queryClient.invalidateQueries({ queryKey: queryKeys.overview })
    const undo = () => {
      navigate(`/${website.domain}`)
      void removeWebsite(data.id)
    }
    showToast(`${toDisplayHost(domain)} added. Open it again to count the visit.`, { undo })
    navigate(`/${domain}`)
  } catch (error) {
    showProblem(error)
  }
}

async function removeWebsite(id: number): Promise<void> {
  try {
    await api.delete(`api/v1/websites/${id}`)
    await queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  } catch (error) {
    showProblem(error)
  }
}
