import { ShieldCheck, UserRound } from 'lucide-preact'
import { Icon } from '../../components/icon.tsx'

export function RoleTag({ isAdmin }: { isAdmin: boolean }) {
  return (
    <span class="tag">
      <Icon icon={isAdmin ? ShieldCheck : UserRound} size={13} />
      {isAdmin ? 'Admin' : 'User'}
    </span>
  )
}
