{{- /* Refuses values that do not go together, with a sentence for each. values.schema.json refuses each wrong value. */}}
{{- define "aglet.check" -}}
{{- $values := .Values }}
{{- range $name := list "AGLET_ROLE" "AGLET_DATA" "AGLET_HOST" "AGLET_PORT" }}
{{- if hasKey $values.settings $name }}
{{- fail (printf "settings.%s is set: remove it, the chart sets it." $name) }}
{{- end }}
{{- end }}
{{- range $name, $value := dict "AGLET_ORIGIN" "origin" "AGLET_TRUST_PROXY" "trustProxy" "AGLET_ROOT_KEY" "rootKey.secretName" "AGLET_ROOT_KEY_BEFORE" "rootKey.secretKeyBefore" "AGLET_DATABASE_URL" "database.secretName" "AGLET_STREAM_URL" "database.streamUrlKey" "AGLET_SYNC_STANDBYS" "database.syncStandbys" }}
{{- if hasKey $values.settings $name }}
{{- fail (printf "settings.%s is set: write it as %s." $name $value) }}
{{- end }}
{{- end }}
{{- if $values.database.secretName }}
{{- if not $values.rootKey.secretName }}
{{- fail "database.secretName is set and rootKey.secretName is not: all pods need the same root key. Make a Secret with the output of openssl rand -hex 32." }}
{{- end }}
{{- with $values.edge.autoscaling }}
{{- if and .enabled (hasKey $values.edge "replicas") }}
{{- fail "edge.autoscaling.enabled and edge.replicas are set: the autoscaler sets the number of edges. Write edge.autoscaling.minReplicas." }}
{{- end }}
{{- if lt (int .maxReplicas) (int .minReplicas) }}
{{- fail (printf "edge.autoscaling.maxReplicas is %d, fewer than edge.autoscaling.minReplicas, %d: write as many or more." (int .maxReplicas) (int .minReplicas)) }}
{{- end }}
{{- if and .enabled (not (dig "requests" "cpu" "" ($values.edge.resources | default $values.resources))) }}
{{- fail "edge.autoscaling.enabled is set, and the edges request no CPU, of which the autoscaler takes percents: write edge.resources.requests.cpu." }}
{{- end }}
{{- end }}
{{- else }}
{{- range $role := list "control" "edge" "worker" }}
{{- if hasKey (get $values $role) "replicas" }}
{{- fail (printf "%s.replicas is set without a database: several pods need a PostgreSQL that they share. Write database.secretName, or remove %s.replicas." $role $role) }}
{{- end }}
{{- end }}
{{- if $values.edge.autoscaling.enabled }}
{{- fail "edge.autoscaling.enabled is set without a database: several pods need a PostgreSQL that they share. Write database.secretName." }}
{{- end }}
{{- range $key, $name := dict "database.streamUrlKey" $values.database.streamUrlKey "rootKey.secretKeyBefore" $values.rootKey.secretKeyBefore }}
{{- if $name }}
{{- fail (printf "%s is set without a database: write database.secretName." $key) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
