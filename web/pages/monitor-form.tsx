import { Page } from '../components/page.tsx'

export default function MonitorFormPage({ id }: { id?: number }) {
  return <Page title={id === undefined ? 'New monitor' : 'Edit monitor'}>{null}</Page>
}
