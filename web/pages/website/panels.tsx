import type { TrafficFilter } from './filters.ts'
import type { Statistics } from './queries.ts'
import { type PanelTab, TrafficPanel } from './traffic-panel.tsx'
import type { WebsiteView } from './view.ts'
import './panels.css'

const panels: readonly { title: string; tabs: readonly PanelTab[] }[] = [
  {
    title: 'Pages',
    tabs: [
      { name: 'page', label: 'Top pages' },
      { name: 'landing_page', label: 'Entry pages' },
      { name: 'exit_page', label: 'Exit pages' },
      { name: 'hostname', label: 'Hostnames', isHiddenWhenEmpty: true },
    ],
  },
  {
    title: 'Sources',
    tabs: [
      { name: 'source', label: 'Sources' },
      { name: 'referrer', label: 'Referrers' },
      { name: 'campaign', label: 'Campaigns' },
    ],
  },
  {
    title: 'Locations',
    tabs: [
      { name: 'country', label: 'Countries' },
      { name: 'country', label: 'Map', isMap: true },
      { name: 'continent', label: 'Continents' },
      { name: 'region', label: 'Regions', isHiddenWhenEmpty: true },
      { name: 'city', label: 'Cities', isHiddenWhenEmpty: true },
    ],
  },
  {
    title: 'Devices',
    tabs: [
      { name: 'browser', label: 'Browsers' },
      { name: 'os', label: 'Systems' },
      { name: 'device', label: 'Devices' },
      { name: 'resolution', label: 'Screens' },
      { name: 'language', label: 'Languages' },
    ],
  },
  { title: 'Events', tabs: [{ name: 'event', label: 'Events' }] },
]

interface PanelsProps {
  statistics: Statistics
  view: WebsiteView
  onFilter: (filter: TrafficFilter) => void
}

export function Panels(props: PanelsProps) {
  return (
    <div class="website-panels">
      {panels.map(({ title, tabs }) => (
        <TrafficPanel key={title} title={title} tabs={tabs} {...props} />
      ))}
    </div>
  )
}
