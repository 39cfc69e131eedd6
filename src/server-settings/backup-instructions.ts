/** The lines that make a backup every night and delete old ones, for each way in which Belfry runs. This module is pure. */
import type { Deployment } from './deployment.ts'
import type { Instruction } from './instruction.ts'

const KEPT_DAYS = 14
const SCHEDULE = '15 3 * * *'
/** cron finds only programs in /usr/bin and /bin. npm installs commands in /usr/local/bin. */
const CRON_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const fileIn = (folder: string) => `${folder}/belfry-backup-$(date +\\%F).gz`
const deleteOldIn = (folder: string) => `find ${folder} -name 'belfry-backup-*.gz' -mtime +${KEPT_DAYS} -delete`

/** Quotes a path for the shell in a crontab, where a percent sign would end the command. */
const quote = (path: string) =>
  (/^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`).replaceAll('%', '\\%')

export function explainBackups(deployment: Deployment, hasOwnDatabase: boolean): Instruction {
  const next = 'Copy the backups to another machine, and protect them like a password.'
  if (deployment.kind === 'kubernetes') {
    return {
      where: 'Back up every night with the tools of your PostgreSQL server, or with:',
      lines: ['kubectl exec deployment/belfry-worker -- belfry backup - > belfry.gz'],
      next,
    }
  }
  const kept = `the backups of the last ${KEPT_DAYS} days`
  if (deployment.kind === 'program') {
    const hint =
      hasOwnDatabase && deployment.configFile === undefined
        ? ' The job needs DATABASE_URL, too: put it into belfry.env in the folder in which you start Belfry.'
        : ''
    return {
      where: `To back up every night, run crontab -e as the user who starts Belfry, and add this line. It keeps ${kept}.${hint}`,
      lines: [formatProgramLine(deployment)],
      next,
    }
  }
  const folder = '/var/backups/belfry'
  const [path, command] =
    deployment.kind === 'container'
      ? [
          ' (replace /path with the folder of your compose.yaml)',
          `umask 077; docker compose -f /path/compose.yaml exec -T belfry belfry backup - > ${fileIn(folder)}`,
        ]
      : ['', `belfry backup --config ${quote(deployment.configFile ?? '/etc/belfry/belfry.env')} ${fileIn(folder)}`]
  return {
    where: `To back up every night and keep ${kept}, put these lines into /etc/cron.d/belfry-backup${path}:`,
    lines: [CRON_PATH, `${SCHEDULE} root install -d -m 700 ${folder} && ${command} && ${deleteOldIn(folder)}`],
    next,
  }
}

/** The command names Node and its script by their paths, and the data folder, because cron doesn't know the environment variables of the user's shell. */
function formatProgramLine({ configFile, program }: Deployment): string {
  const { folder, dataDir, node, script } = program
  const backups = '~/belfry-backups'
  const config = configFile === undefined ? '' : ` --config ${quote(configFile)}`
  return [
    `${SCHEDULE} cd ${quote(folder)}`,
    `mkdir -p -m 700 ${backups}`,
    `BELFRY_DATA=${quote(dataDir)} ${quote(node)} ${quote(script)} backup${config} ${fileIn(backups)}`,
    deleteOldIn(backups),
  ].join(' && ')
}
