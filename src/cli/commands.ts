import { backup } from './backup.ts'
import type { Command } from './common/command.ts'
import { createCompletion } from './completion/completion.ts'
import { showConfig } from './config.ts'
import { doctor } from './doctor/doctor.ts'
import { keyCreate } from './key-create.ts'
import { keyList } from './key-list.ts'
import { keyRevoke } from './key-revoke.ts'
import { migrate } from './migrate.ts'
import { move } from './move/move.ts'
import { reportPreview } from './report-preview.ts'
import { restore } from './restore.ts'
import { rollback } from './rollback.ts'
import { serve } from './serve.ts'
import { serviceInstall } from './service-install.ts'
import { serviceStatus } from './service-status.ts'
import { serviceUninstall } from './service-uninstall.ts'
import { teamInvite } from './team-invite.ts'
import { teamList } from './team-list.ts'
import { teamMembers } from './team-members.ts'
import { trafficDeleteDamaged } from './traffic-delete-damaged.ts'
import { trafficExport } from './traffic-export.ts'
import { trafficGenerate } from './traffic-generate.ts'
import { trafficImport } from './traffic-import.ts'
import { upgrade } from './upgrade.ts'
import { userCreate } from './user-create.ts'
import { userDelete } from './user-delete.ts'
import { userDisable2fa } from './user-disable-2fa.ts'
import { userList } from './user-list.ts'
import { userPassword } from './user-password.ts'
import { userResetLink } from './user-reset-link.ts'

export const commands: Command[] = [
  serve,
  migrate,
  userCreate,
  userList,
  userPassword,
  userDisable2fa,
  userResetLink,
  userDelete,
  teamList,
  teamMembers,
  teamInvite,
  keyCreate,
  keyList,
  keyRevoke,
  reportPreview,
  trafficGenerate,
  trafficImport,
  trafficExport,
  trafficDeleteDamaged,
  backup,
  restore,
  rollback,
  upgrade,
  move,
  doctor,
  showConfig,
  serviceInstall,
  serviceUninstall,
  serviceStatus,
  createCompletion(() => commands),
]
