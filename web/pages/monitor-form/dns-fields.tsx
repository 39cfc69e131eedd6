import type { DnsRecordType } from '../../../src/shared/monitors.ts'
import { dnsRecordTypes } from '../../../src/shared/monitors.ts'
import { SelectField, TextAreaField, TextField } from '../../components/field.tsx'
import type { MonitorSectionProps } from './fields.ts'
import type { MonitorFormValues } from './values.ts'

/** What each type of record contains, and an example as DNS tools print it. */
const recordInfo: Record<DnsRecordType, { content: string; example: string }> = {
  A: { content: 'IPv4 addresses', example: '203.0.113.7' },
  AAAA: { content: 'IPv6 addresses', example: '2001:db8::7' },
  CNAME: { content: 'another name', example: 'shop.example.net' },
  MX: { content: 'mail servers', example: '10 mail.example.com' },
  NS: { content: 'name servers', example: 'ns1.example.com' },
  TXT: { content: 'text, such as SPF', example: 'v=spf1 include:example.com -all' },
  SOA: { content: 'the zone', example: 'ns1.example.com hostmaster.example.com 2026011501 7200 3600 1209600 3600' },
  CAA: { content: 'certificate authorities', example: '0 issue "letsencrypt.org"' },
  SRV: { content: 'services', example: '10 5 5060 sip.example.com' },
  PTR: { content: 'the name of an address', example: 'host.example.com' },
}

const matchChoices: { value: MonitorFormValues['match']; label: string }[] = [
  { value: 'any', label: 'At least one of these records' },
  { value: 'all', label: 'All of these records; others are allowed' },
  { value: 'exact', label: 'Exactly these records and no others' },
]

export function DnsFields({ form: { values, set }, errorsFor, errorsIn }: MonitorSectionProps) {
  return (
    <>
      <div class="form-pair">
        <SelectField
          label="Record type"
          errors={errorsFor('dns.record')}
          value={values.record}
          choices={dnsRecordTypes.map((type) => ({ value: type, label: `${type}: ${recordInfo[type].content}` }))}
          onValue={(record) => set('record', record)}
        />
        <TextField
          label="DNS server"
          hint="Optional. IP address, with or without a port. If empty, Belfry asks the DNS servers of its own machine."
          errors={errorsFor('dns.resolver')}
          value={values.resolver}
          onValue={(resolver) => set('resolver', resolver)}
          placeholder="9.9.9.9"
          autocomplete="off"
          spellcheck={false}
        />
      </div>
      <TextAreaField
        label="Expected records"
        hint="Optional, one per line. If empty, any record is accepted."
        errors={errorsIn('dns.expected')}
        value={values.expected}
        onValue={(expected) => set('expected', expected)}
        placeholder={recordInfo[values.record].example}
        rows={3}
        spellcheck={false}
      />
      {values.expected.trim() !== '' && (
        <SelectField
          label="The name must have"
          errors={errorsFor('dns.match')}
          value={values.match}
          choices={matchChoices}
          onValue={(match) => set('match', match)}
        />
      )}
    </>
  )
}
