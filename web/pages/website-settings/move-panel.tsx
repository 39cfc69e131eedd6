import { ArrowRightLeft, UsersRound } from 'lucide-preact'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Button } from '../../components/button.tsx'
import { canMoveWebsite, openMoveDialog, toMovableWebsite } from '../../components/move-to-team.ts'
import { Section } from '../../components/section.tsx'
import { currentTeamName } from '../../lib/team.ts'

/** Shown to people who manage another team, too. */
export function MoveWebsitePanel({ website }: { website: WebsiteRecord }) {
  if (!canMoveWebsite(website)) return null
  return (
    <Section title="Team" icon={UsersRound}>
      <div class="section-action">
        <p class="muted">
          Belongs to <strong>{currentTeamName}</strong>.
        </p>
        <Button icon={ArrowRightLeft} onClick={() => void openMoveDialog(toMovableWebsite(website))}>
          Move to another team…
        </Button>
      </div>
    </Section>
  )
}
