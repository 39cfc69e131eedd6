import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { UserRecord } from '../../src/accounts/schema.ts'
import { Button } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { Asked, Loading, Skeleton } from '../components/states.tsx'
import { api, type ListResponse } from '../lib/api.ts'
import { boot } from '../lib/boot.ts'
import { keys } from '../lib/queries.ts'
import { NotFoundPage } from './not-found.tsx'
import { NewUserDialog } from './users/new-user-dialog.tsx'
import { UserTable } from './users/user-table.tsx'

export default function UsersPage() {
  return boot.user?.is_admin ? <Users /> : <NotFoundPage />
}

function Users() {
  const [isAdding, setAdding] = useState(false)
  const users = useQuery({
    queryKey: keys.users,
    queryFn: async ({ signal }) => (await api.get<ListResponse<UserRecord>>('api/users?pageSize=1000', signal)).data,
  })
  const refetch = async () => void (await users.refetch())
  return (
    <Page
      title="Users"
      actions={
        <Button kind="primary" onClick={() => setAdding(true)}>
          Add a user
        </Button>
      }
    >
      <Asked
        query={users}
        waiting={
          <Loading what="the users">
            <Skeleton height="14rem" />
          </Loading>
        }
      >
        {(all) => <UserTable users={all} onChange={refetch} />}
      </Asked>
      {isAdding && <NewUserDialog onClose={() => setAdding(false)} onCreated={() => void refetch()} />}
    </Page>
  )
}
