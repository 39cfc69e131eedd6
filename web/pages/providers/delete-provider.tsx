import { ConfirmDialog } from '../../components/dialog.tsx'
import { showToast } from '../../components/toasts.tsx'
import { api } from '../../lib/api.ts'
import { type Provider, providerKeys, titleOf } from '../../lib/providers.ts'
import { queryClient } from '../../lib/queries.ts'
import { countMonitors, useMonitorCount } from './monitor-count.ts'

interface DeleteProviderProps {
  provider: Provider
  onClose: () => void
  onDeleted?: () => void
}

export function DeleteProvider({ provider, onClose, onDeleted }: DeleteProviderProps) {
  const { data: count } = useMonitorCount(provider.id)
  return (
    <ConfirmDialog
      title={`Delete ${titleOf(provider)}?`}
      action="Delete provider"
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`api/providers/${provider.id}`)
        queryClient.setQueryData<Provider[]>(providerKeys.list, (all) => all?.filter(({ id }) => id !== provider.id))
        showToast('The provider was deleted.')
        onDeleted?.()
        queryClient.removeQueries({ queryKey: providerKeys.one(provider.id) })
      }}
    >
      <p>
        {count === undefined
          ? 'It is taken off every monitor that has it.'
          : count === 0
            ? 'No monitor has it.'
            : `It is taken off ${countMonitors(count)}, about which it says nothing any more.`}{' '}
        What was sent through it is forgotten, too. This cannot be undone.
      </p>
    </ConfirmDialog>
  )
}
