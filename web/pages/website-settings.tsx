import { Page } from '../components/page.tsx'

export default function WebsiteSettingsPage({ domain }: { domain: string }) {
  return <Page title={`Settings of ${domain}`}>{null}</Page>
}
