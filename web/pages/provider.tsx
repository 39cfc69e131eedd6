import { Page } from '../components/page.tsx'

export default function ProviderPage({ id }: { id?: number }) {
  return <Page title={id === undefined ? 'New provider' : 'Provider'}>{null}</Page>
}
