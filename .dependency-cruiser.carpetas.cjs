const { options } = require('./.dependency-cruiser.cjs')

/** Of two folders one may know the other, never both. Tests are left out: they know whatever they need. */
module.exports = {
  forbidden: [{ name: 'no-cycles-of-folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } }],
  options: { ...options, exclude: { path: '\\.module\\.css$|\\.test\\.tsx?$|^tests/' } },
}
