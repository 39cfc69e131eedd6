/** What to set up after the first visit, and where to do it. */
import { useQuery } from '@tanstack/preact-query'
import { reachabilityTypes } from '../../../src/shared/overview-order.ts'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { buildNewMonitorPathForDomain } from '../../lib/address.ts'
import { api, type ItemResponse } from '../../lib/api.ts'
import { useChannels } from '../../lib/channels.ts'
import { queryKeys, useOverview } from '../../lib/queries.ts'

export interface SetupStep {
  key?: 'monitor'
  title: string
  detail?: string
  /** Undefined while loading. */
  isDone: boolean | undefined
  href: string
  isOptional?: boolean
}

/** If `website` is undefined, returns only the steps that need no website. */
export function useNextSteps(website: { id: number; domain: string } | undefined): SetupStep[] {
  const { data: overview } = useOverview()
  const { data: channels } = useChannels()
  const steps: SetupStep[] = [
    {
      key: 'monitor',
      title: 'Monitor uptime',
      detail: 'Get alerted when your website goes down',
      isDone: overview?.monitors.some(
        ({ website_id, type }) => website_id === website?.id && reachabilityTypes.includes(type),
      ),
      href: website ? buildNewMonitorPathForDomain(website.domain) : '/monitors/new',
    },
    {
      title: 'Add a notification channel',
      detail: 'Email, chat, push or SMS',
      isDone: channels && channels.length > 0,
      href: '/providers/new',
    },
  ]
  const reportStep = useReportStep(website)
  return reportStep === undefined ? steps : [...steps, reportStep]
}

function useReportStep(website: { id: number; domain: string } | undefined): SetupStep | undefined {
  const { data } = useQuery({
    queryKey: queryKeys.website(website?.id ?? 0),
    queryFn: async ({ signal }) =>
      (await api.get<ItemResponse<WebsiteRecord>>(`api/v1/websites/${website?.id}`, signal)).data,
    enabled: website !== undefined,
  })
  return (
    website && {
      title: 'Turn on the weekly report',
      detail: 'By email, every Monday',
      isDone: data && data.email === 1,
      href: `/${website.domain}/settings`,
      isOptional: true,
    }
  )
}
