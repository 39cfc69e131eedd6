import { useQuery } from '@tanstack/preact-query'
import { UserPlus } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { UserRecord } from '../../src/accounts/schema.ts'
import { MAX_USER_PAGE_SIZE } from '../../src/shared/limits.ts'
import { Button } from '../components/button.tsx'
import { NotFoundPage } from '../components/not-found-page.tsx'
import { Page } from '../components/page.tsx'
import { Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { api, type ListResponse } from '../lib/api.ts'
import { boot } from '../lib/boot.ts'
import { queryKeys } from '../lib/queries.ts'
import { NewUserDialog } from './users/new-user-dialog.tsx'
import { UserTable } from './users/table.tsx'
import './users/users.css'

export default function UsersPage() {
  return boot.user?.is_admin ? <Users /> : <NotFoundPage />
}

function Users() {
  const [isAdding, setAdding] = useState(false)
  const users = useQuery({
    queryKey: queryKeys.users,
    queryFn: async ({ signal }) =>
      (await api.get<ListResponse<UserRecord>>(`api/users?pageSize=${MAX_USER_PAGE_SIZE}`, signal)).data,
  })
  const refetch = async () => void (await users.refetch())
  return (
    <Page
      title="Users"
      actions={
        <Button kind="primary" icon={UserPlus} onClick={() => setAdding(true)}>
          Add user
        </Button>
      }
    >
      <QueryContent
        query={users}
        loading={
          <Loading what="users">
            <Skeleton height="14rem" />
          </Loading>
        }
      >
        {(users) => <UserTable users={users} onChange={refetch} />}
      </QueryContent>
      {isAdding && <NewUserDialog onClose={() => setAdding(false)} onCreated={() => void refetch()} />}
    </Page>
  )
}
