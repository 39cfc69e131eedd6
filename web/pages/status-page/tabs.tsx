/** The pages about one status page: its editor, its posts and its subscribers. */
import { Mail, MessageSquareText, PanelTop } from 'lucide-preact'
import { Link, useLocation } from 'wouter-preact'
import { Icon } from '../../components/icon.tsx'
import './tabs.css'

const tabs = [
  { path: '', label: 'Page', icon: PanelTop },
  { path: '/posts', label: 'Posts', icon: MessageSquareText },
  { path: '/subscribers', label: 'Subscribers', icon: Mail },
]

export function StatusPageTabs({ pageId }: { pageId: number }) {
  const [location] = useLocation()
  const root = `/status-pages/${pageId}`
  const getAriaCurrent = (href: string) =>
    location === href ? 'page' : href !== root && location.startsWith(`${href}/`) ? 'true' : undefined
  return (
    <nav class="status-page-tabs" aria-label="Status page">
      {tabs.map(({ path, label, icon }) => (
        <Link key={path} href={root + path} aria-current={getAriaCurrent(root + path)}>
          <Icon icon={icon} size={15} />
          {label}
        </Link>
      ))}
    </nav>
  )
}
