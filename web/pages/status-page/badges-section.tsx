/** Badges of the page and of its monitors, with the code that shows them on other websites. */
import { BadgeCheck } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { CodeLine } from '../../components/copy-button.tsx'
import { SelectField } from '../../components/field.tsx'
import { Section } from '../../components/section.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { publicUrl, toPublicUrl } from '../../lib/boot.ts'
import { listPageMonitors, type StatusPage } from '../../lib/status-pages.ts'
import { type BadgeChoice, badgeFormats, buildBadgePath } from './badge-code.ts'

const contents = [
  { value: 'state', label: 'State' },
  { value: 'uptime-24h', label: 'Uptime, 24 hours' },
  { value: 'uptime-30d', label: 'Uptime, 30 days' },
  { value: 'uptime-90d', label: 'Uptime, 90 days' },
  { value: 'response_time', label: 'Response time' },
] as const
type BadgeContent = (typeof contents)[number]['value']

const formats = [
  { value: 'markdown', label: 'Markdown' },
  { value: 'html', label: 'HTML' },
  { value: 'url', label: 'URL' },
] as const

export function BadgesSection({ page }: { page: StatusPage }) {
  const [target, setTarget] = useState('page')
  const [content, setContent] = useState<BadgeContent>('state')
  const [format, setFormat] = useState<keyof typeof badgeFormats>('markdown')
  const monitors = listPageMonitors(page)
  const monitor = monitors.find(({ monitor_id }) => `${monitor_id}` === target)
  const [type, period = '30d'] = content.split('-') as [BadgeChoice['type'], BadgeChoice['period']?]
  const choice: BadgeChoice = { monitorId: monitor?.monitor_id, type, period, name: monitor?.label ?? page.title }
  const path = buildBadgePath(page.slug, choice)
  return (
    <Section title="Badges" icon={BadgeCheck} description="Small pictures for a README, a wiki or your own website.">
      <div class="form">
        <div class="form-pair">
          <SelectField
            label="Badge of"
            value={monitor === undefined ? 'page' : target}
            choices={[
              { value: 'page', label: 'The whole page' },
              ...monitors.map(({ monitor_id, label }) => ({ value: `${monitor_id}`, label })),
            ]}
            onValue={setTarget}
          />
          <SelectField label="Shows" value={content} choices={contents} onValue={setContent} />
        </div>
        <div class="badge-picture">
          <img key={`${path} ${page.updated_at}`} src={path} alt={`Badge of ${choice.name}`} height="20" />
        </div>
        <div class="badge-code">
          <SegmentedControl label="Format" choices={formats} value={format} onValue={setFormat} />
          <CodeLine
            text={badgeFormats[format](choice, { badge: `${publicUrl}/${path}`, page: toPublicUrl(page.url) })}
          />
        </div>
      </div>
    </Section>
  )
}
