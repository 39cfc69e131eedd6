import { Page } from '../components/page.tsx'

export default function MonitorsPage() {
  return <Page title="Monitors">{null}</Page>
}
