import { ConfirmDialog } from '../../components/dialog.tsx'
import { showToast } from '../../components/toasts.tsx'
import { api } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { getProviderName, type Provider } from '../../lib/providers.ts'
import { queryKeys, queryClient } from '../../lib/queries.ts'
import { useMonitorCount } from './use-monitor-count.ts'

interface DeleteProviderProps {
  provider: Provider
  onClose: () => void
  onDeleted?: () => Promise<void>
}

export function DeleteProvider({ provider, onClose, onDeleted }: DeleteProviderProps) {
  const { data: count } = useMonitorCount(provider.id)
  return (
    <ConfirmDialog
      title={`Delete ${getProviderName(provider)}?`}
      action="Delete provider"
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`api/providers/${provider.id}`)
        showToast('The provider was deleted.')
        await onDeleted?.()
        queryClient.setQueryData<Provider[]>(queryKeys.providerList, (all) => all?.filter(({ id }) => id !== provider.id))
        queryClient.removeQueries({ queryKey: queryKeys.provider(provider.id) })
      }}
    >
      <p>
        {count === undefined
          ? 'It is taken off every monitor that has it.'
          : count === 0
            ? 'No monitor has it.'
            : `It is taken off ${formatCount(count, 'monitor')}, about which it says nothing any more.`}{' '}
        What was sent through it is forgotten, too. This cannot be undone.
      </p>
    </ConfirmDialog>
  )
}
