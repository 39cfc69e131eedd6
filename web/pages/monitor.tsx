import { Page } from '../components/page.tsx'

export default function MonitorPage({ id }: { id: number }) {
  return <Page title={`Monitor ${id}`}>{null}</Page>
}
