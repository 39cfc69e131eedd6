import { Page } from '../components/page.tsx'

export default function WebsitePage({ domain }: { domain: string }) {
  return <Page title={domain}>{null}</Page>
}
