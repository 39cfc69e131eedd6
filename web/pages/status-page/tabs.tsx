/** The pages about one status page: its editor, its posts and its subscribers. */
import { Mail, MessageSquareText, PanelTop } from 'lucide-preact'
import { Link, useLocation } from 'wouter-preact'
import { Icon } from '../../components/icon.tsx'
import { can } from '../../lib/team.ts'
import './tabs.css'

const tabs = [
  { path: '', label: 'Page', icon: PanelTop, needs: 'edit shared' },
  { path: '/posts', label: 'Posts', icon: MessageSquareText },
  { path: '/subscribers', label: 'Subscribers', icon: Mail, needs: 'browse' },
] as const

export function StatusPageTabs({ pageId }: { pageId: number }) {
  const [location] = useLocation()
  const shownTabs = tabs.filter((tab) => !('needs' in tab) || can(tab.needs))
  const root = `/status-pages/${pageId}`
  const getAriaCurrent = (href: string) =>
    location === href ? 'page' : href !== root && location.startsWith(`${href}/`) ? 'true' : undefined
  return (
    <nav class="status-page-tabs" aria-label="Status page">
      {shownTabs.map(({ path, label, icon }) => (
        <Link key={path} href={root + path} aria-current={getAriaCurrent(root + path)}>
          <Icon icon={icon} size={15} />
          {label}
        </Link>
      ))}
    </nav>
  )
}
