import { Archive } from 'lucide-preact'
import type { ServerSettingsRecord } from '../../../src/server-settings/schema.ts'
import { CheckField } from '../../components/field.tsx'
import { Section } from '../../components/section.tsx'
import { DateTime } from '../../components/time.tsx'
import { api } from '../../lib/api.ts'
import { refreshServerSettings } from '../../lib/server-settings.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'

/** Saves the setting immediately. */
async function setMadeElsewhere(made_elsewhere: boolean, isUndo = false): Promise<void> {
  try {
    await api.put('api/server/settings/backups', { made_elsewhere })
    await refreshServerSettings()
    const text = made_elsewhere
      ? 'Belfry no longer reminds you about backups.'
      : 'Belfry reminds you if there is no recent backup.'
    showToast(text, isUndo ? {} : { undo: () => void setMadeElsewhere(!made_elsewhere, true) })
  } catch (error) {
    showProblem(error)
  }
}

export function BackupSection({ backups }: { backups: ServerSettingsRecord['backups'] }) {
  const { last_backup_at: lastBackupAt, made_elsewhere: isMadeElsewhere } = backups
  return (
    <Section title="Backups" icon={Archive} description="One file with all data: statistics, monitors and settings.">
      <div class="form">
        <p>
          {lastBackupAt === null ? (
            <>
              <code>belfry backup</code> has not been run yet.
            </>
          ) : (
            <>
              Last <code>belfry backup</code>: <DateTime at={lastBackupAt} />
            </>
          )}
        </p>
        <CheckField
          label="Backups are made in another way"
          hint="For example by the provider of your database, or as snapshots of the disk. Belfry can't know about them."
          isSwitch
          checked={isMadeElsewhere}
          onValue={(isOn) => void setMadeElsewhere(isOn)}
        />
      </div>
    </Section>
  )
}
