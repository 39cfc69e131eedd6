import { Page } from '../components/page.tsx'

export default function ProvidersPage() {
  return <Page title="Providers">{null}</Page>
}
