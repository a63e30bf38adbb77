/** An adapter of the package is imported for its effect alone: `import 'aglet/adapters/dataLayer'`. */
export {}
