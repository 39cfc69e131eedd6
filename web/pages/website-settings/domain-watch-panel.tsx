import { ShieldCheck } from 'lucide-preact'
import { DomainWatch } from '../../components/domain-watch.tsx'
import { Section } from '../../components/section.tsx'

export function DomainWatchPanel({ website }: { website: { id: number; domain: string } }) {
  return (
    <Section
      title="Domain and certificate"
      icon={ShieldCheck}
      description="Get alerts before the registration of the domain or the certificate expires."
    >
      <DomainWatch website={website} />
    </Section>
  )
}
