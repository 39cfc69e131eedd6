import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { KeyRecord } from '../../src/keys/schema.ts'
import { Button } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { EmptyState, ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { api, type List } from '../lib/api.ts'
import { KeyTable } from './keys/key-table.tsx'
import { NewKeyDialog } from './keys/new-key-dialog.tsx'

export default function KeysPage() {
  const [isAdding, setAdding] = useState(false)
  const keys = useQuery({
    queryKey: ['keys'],
    queryFn: async ({ signal }) => (await api.get<List<KeyRecord>>('api/keys', signal)).data,
  })
  const add = (
    <Button kind="primary" onClick={() => setAdding(true)}>
      Create a key
    </Button>
  )
  return (
    <Page title="API keys" actions={keys.data?.length ? add : undefined}>
      {keys.isPending ? (
        <Loading what="your keys">
          <Skeleton height="14rem" />
        </Loading>
      ) : keys.isError ? (
        <ErrorState error={keys.error} retry={() => void keys.refetch()} />
      ) : keys.data.length === 0 ? (
        <div class="panel">
          <EmptyState title="No keys yet">
            <p>
              A key lets a program use the API in your name, for what you allow it to. The{' '}
              <a href="docs" target="_blank" rel="noreferrer">
                documentation
              </a>{' '}
              describes every call.
            </p>
            {add}
          </EmptyState>
        </div>
      ) : (
        <KeyTable keys={keys.data} onChange={() => void keys.refetch()} />
      )}
      {isAdding && <NewKeyDialog onClose={() => setAdding(false)} onCreated={() => void keys.refetch()} />}
    </Page>
  )
}
