import { Page } from '../components/page.tsx'

export default function NewWebsitePage() {
  return <Page title="NewWebsite">{null}</Page>
}
