import { Page } from '../components/page.tsx'

export default function UsersPage() {
  return <Page title="Users">{null}</Page>
}
