import { useQuery } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { KeyRecord } from '../../src/keys/schema.ts'
import { Button } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { Asked, EmptyState, Loading, Skeleton } from '../components/states.tsx'
import { api, type ListResponse } from '../lib/api.ts'
import { queryKeys } from '../lib/queries.ts'
import { KeyTable } from './keys/key-table.tsx'
import { NewKeyDialog } from './keys/new-key-dialog.tsx'

export default function KeysPage() {
  const [isAdding, setAdding] = useState(false)
  const known = useQuery({
    queryKey: queryKeys.apiKeys,
    queryFn: async ({ signal }) => (await api.get<ListResponse<KeyRecord>>('api/keys', signal)).data,
  })
  const refetch = async () => void (await known.refetch())
  const add = (
    <Button kind="primary" onClick={() => setAdding(true)}>
      Create a key
    </Button>
  )
  return (
    <Page title="API keys" actions={known.data?.length ? add : undefined}>
      <Asked
        query={known}
        waiting={
          <Loading what="your keys">
            <Skeleton height="14rem" />
          </Loading>
        }
      >
        {(all) => (all.length === 0 ? <NoKeys add={add} /> : <KeyTable keys={all} onChange={refetch} />)}
      </Asked>
      {isAdding && <NewKeyDialog onClose={() => setAdding(false)} onCreated={() => void refetch()} />}
    </Page>
  )
}

function NoKeys({ add }: { add: ComponentChildren }) {
  return (
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
  )
}
