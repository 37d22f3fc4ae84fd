/** The wings of app/ in order: each may import only earlier ones. `core` and `ui` know no noun of the pageant. */
const WINGS = [
  'core',
  'ui',
  'audit',
  'cms',
  'mail',
  'accounts',
  'analytics',
  'entries',
  'voting',
  'site',
  'finals',
  'ops',
  'panel',
  'layout',
]

/** The rules of imports, which docs/arquitectura.md explains. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...WINGS.map((wing, index) => ({
      name: `${wing}-imports-nothing-above-it`,
      severity: 'error',
      from: { path: `^app/${wing}/` },
      to: { path: `^(app/(${[...WINGS.slice(index + 1), '[^/]+$'].join('|')})/?|server/|scripts/)` },
    })),
    {
      name: 'ui-stands-alone',
      comment: 'ui has the looks of any site, and imports nothing of this one.',
      severity: 'error',
      from: { path: '^app/ui/' },
      to: { path: '^app/(?!ui/)' },
    },
    {
      name: 'mail-knows-no-noun',
      comment:
        'Each wing writes its own messages, and mail sends them. Only the letterhead needs cms, for the edition’s name.',
      severity: 'error',
      from: { path: '^app/mail/' },
      to: { path: '^app/(?!mail/|core/|cms/)' },
    },
    {
      name: 'app-does-not-know-its-server',
      severity: 'error',
      from: { path: '^app/' },
      to: { path: '^(server|scripts)/' },
    },
    {
      name: 'server-code-stays-on-the-server',
      comment: 'A module that the browser may get, such as a component, imports no server code; only pages do.',
      severity: 'error',
      from: {
        path: '^app/',
        pathNot: [
          '\\.page\\.tsx$',
          '\\.resource\\.ts$',
          '\\.(server|process)\\.tsx?$',
          '\\.test\\.tsx?$',
          '^app/(root|entry\\.server)\\.tsx$',
        ],
      },
      to: { path: '\\.server\\.tsx?$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'documents-are-read-apart',
      comment:
        'Files from outside are read only by render.process.ts and sanitize-file.process.ts, which end when they take too long.',
      severity: 'error',
      from: {
        path: '^(app|server)/',
        pathNot: [
          '^app/entries/document-viewing/(watermark-pdf\\.server|render\\.server|render\\.process)\\.ts$',
          '^app/cms/file-sanitizing/',
          '\\.test\\.ts$',
        ],
      },
      to: {
        path: '^app/(entries/document-viewing/(watermark-pdf|render)|cms/file-sanitizing/(sanitize-file|svg|mp4|webm|pdf|word)|core/uploads/(pdf-document|picture-decoder))\\.server\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'processes-are-started',
      comment:
        'A *.process.ts runs in a process or a thread of its own. An import would run it in the importing process.',
      severity: 'error',
      from: {},
      to: { path: '\\.process\\.ts$' },
    },
    {
      name: 'not-in-the-lockfile',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: ['^virtual:', '\\?', '/\\+types/'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.module\\.css$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.css'],
    },
  },
}
