const { options } = require('./.dependency-cruiser.cjs')

/** Imports between two folders go one way only. Tests are left out: they import any folder. */
module.exports = {
  forbidden: [{ name: 'no-cycles-of-folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } }],
  options: { ...options, exclude: { path: '\\.module\\.css$|\\.test\\.tsx?$|^tests/' } },
}
