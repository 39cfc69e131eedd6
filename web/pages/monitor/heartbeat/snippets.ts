/** Commands to copy into a job, so that it reports to Belfry. */

export interface BeatSnippet {
  name: string
  /** What the commands do, in one sentence. */
  note: string
  text: string
}

const CURL = 'curl -fsS -m 10 --retry 5 -o /dev/null'
const EXAMPLE_SCHEDULE = '30 2 * * *'

/** `cron` is the schedule of the monitor, if it has one. */
export function createBeatSnippets(url: string, cron: string | null): BeatSnippet[] {
  return [
    {
      name: 'curl',
      note: 'Reports that the job is alive. Add this command at the end of the job.',
      text: `${CURL} ${url}`,
    },
    {
      name: 'Shell',
      note: 'Reports the start, the exit code and the end of the output. Belfry measures how long the job runs.',
      text: [
        `url=${url}`,
        `${CURL} "$url/start"`,
        './backup.sh > /tmp/backup.log 2>&1',
        'code=$?',
        `tail -c 10000 /tmp/backup.log | ${CURL} --data-binary @- "$url/$code"`,
      ].join('\n'),
    },
    {
      name: 'crontab',
      note: 'Reports the exit code: 0 means success, any other code opens an incident.',
      text: `${cron ?? EXAMPLE_SCHEDULE} /path/to/backup.sh; ${CURL} ${url}/$?`,
    },
    {
      name: 'systemd',
      note: 'Add these lines to the service that the timer starts. They report the start and the result, even if the service is killed.',
      text: [
        '[Service]',
        'Type=oneshot',
        `ExecStartPre=-/usr/bin/${CURL} ${url}/start`,
        'ExecStart=/path/to/backup.sh',
        `ExecStopPost=-/bin/sh -c 'test "$$SERVICE_RESULT" = success && signal=0 || signal=fail; ${CURL} ${url}/$$signal'`,
      ].join('\n'),
    },
    {
      name: 'GitHub Actions',
      note: 'Add this step at the end of the job. Save the URL in the repository as the secret BEAT_URL.',
      text: [
        '- name: Report to Belfry',
        '  if: always()',
        '  env:',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub Actions
        '    BEAT_URL: ${{ secrets.BEAT_URL }}',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub Actions
        "    SIGNAL: ${{ job.status == 'success' && '0' || 'fail' }}",
        `  run: ${CURL} "$BEAT_URL/$SIGNAL"`,
      ].join('\n'),
    },
  ]
}
