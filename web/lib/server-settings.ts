/** Reads and saves the settings of the server that admins can change on a page. */
import { useQuery } from '@tanstack/preact-query'
import type { GoLiveItemRecord, ServerSettingsRecord } from '../../src/server-settings/schema.ts'
import { api, type ItemResponse } from './api.ts'
import { applyServerSettings } from './boot.ts'
import { queryClient, queryKeys } from './queries.ts'

/** What to set before the server goes live, and what is done already. Only for admins. */
export const useGoLive = ({ enabled = true }: { enabled?: boolean } = {}) =>
  useQuery({
    queryKey: queryKeys.goLive,
    queryFn: async ({ signal }) => (await api.get<{ data: GoLiveItemRecord[] }>('api/server/go-live', signal)).data,
    enabled,
  })

const readSettings = async (signal?: AbortSignal) =>
  (await api.get<ItemResponse<ServerSettingsRecord>>('api/server/settings', signal)).data

export const useServerSettings = () =>
  useQuery({ queryKey: queryKeys.serverSettings, queryFn: ({ signal }) => readSettings(signal) })

/** Call it after every change. All pages then use the new settings. */
export async function refreshServerSettings(): Promise<void> {
  const settings = await readSettings()
  applyServerSettings({ url: settings.url.value, canSendEmail: settings.mail.source !== null })
  queryClient.setQueryData(queryKeys.serverSettings, settings)
  await queryClient.invalidateQueries({ queryKey: queryKeys.goLive })
}
