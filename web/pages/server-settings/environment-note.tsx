/** Says that a setting can't be changed on this page, and where it can. */
export function EnvironmentNote({ variables }: { variables: readonly string[] }) {
  return (
    <p class="small muted">
      {variables.map((name, index) => (
        <span key={name}>
          {index > 0 && ' and '}
          <code>{name}</code>
        </span>
      ))}{' '}
      {variables.length === 1 ? 'is' : 'are'} set in the environment or the configuration file of the server, so you
      can't change this setting on this page. Change it there, then restart Belfry.
    </p>
  )
}
