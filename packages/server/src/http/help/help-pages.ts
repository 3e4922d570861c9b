/** The pages of `docs` that the server shows at `/help`, in the order of the menu. The first one is the start. */
export const helpPages: Record<string, readonly string[]> = {
  'For everyone': ['user-guide', 'markup'],
  'For owners': ['owner-guide', 'sign-in', 'integrations', 'bots', 'export', 'audit-log', 'open-channels'],
  'For operators': [
    'install',
    'containers',
    'first-run',
    'operations',
    'mail',
    'single-sign-on',
    'scim',
    'files',
    'backup',
    'monitoring',
    'logs',
    'troubleshooting',
    'upgrade',
    'moving',
    'import',
    'sizing',
    'scaling',
    'jobs',
    'security',
  ],
}

export const pageNames: ReadonlySet<string> = new Set(Object.values(helpPages).flat())
