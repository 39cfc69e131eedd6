import { useQuery } from '@tanstack/preact-query'
import { KeyRound, Plus } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { KeyRecord } from '../../src/keys/schema.ts'
import { Button } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { EmptyState, Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { api, type ListResponse } from '../lib/api.ts'
import { queryKeys } from '../lib/queries.ts'
import { NewKeyDialog } from './keys/new-key-dialog.tsx'
import { KeyTable } from './keys/table.tsx'

export default function KeysPage() {
  const [isCreating, setCreating] = useState(false)
  const apiKeys = useQuery({
    queryKey: queryKeys.apiKeys,
    queryFn: async ({ signal }) => (await api.get<ListResponse<KeyRecord>>('api/keys', signal)).data,
  })
  const refetch = async () => void (await apiKeys.refetch())
  const createButton = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      Create API key
    </Button>
  )
  return (
    <Page title="API keys" actions={apiKeys.data?.length ? createButton : undefined}>
      <QueryContent
        query={apiKeys}
        loading={
          <Loading what="API keys">
            <Skeleton height="14rem" />
          </Loading>
        }
      >
        {(keys) =>
          keys.length === 0 ? <NoKeys createButton={createButton} /> : <KeyTable keys={keys} onChange={refetch} />
        }
      </QueryContent>
      {isCreating && <NewKeyDialog onClose={() => setCreating(false)} onCreated={() => void refetch()} />}
    </Page>
  )
}

function NoKeys({ createButton }: { createButton: ComponentChildren }) {
  return (
    <div class="panel">
      <EmptyState title="No API keys yet" icon={KeyRound}>
        <p>
          An API key lets a program use the API on your behalf, with the permissions you choose. See the{' '}
          <a href="docs" target="_blank" rel="noreferrer">
            API documentation
          </a>
          .
        </p>
        {createButton}
      </EmptyState>
    </div>
  )
}
