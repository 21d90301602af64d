/* The fields of KubeletConfiguration (kubelet.config.k8s.io/v1beta1) in any Kubernetes release from 1.20 on.
 *
 * A kubelet that finds another one reads its file again without strictness, says so in its log alone, and goes on as if
 * the field were not there (pkg/kubelet/kubeletconfig, "using lenient decoding"): so a wrong name is told here.
 * Source: k8s.io/kubelet, config/v1beta1/types.go, of 1.20 and of 2026; every field of the former is
 * in the latter.
 */
#include "config/kubelet_fields.h"

#include <string.h>

#include "config/document.h"
#include "lib/nearest.h"

static const char *const fields[] = {
	"apiVersion",
	"kind",
	"address",
	"allowedUnsafeSysctls",
	"authentication",
	"authorization",
	"cgroupDriver",
	"cgroupRoot",
	"cgroupsPerQOS",
	"clusterDNS",
	"clusterDomain",
	"configMapAndSecretChangeDetectionStrategy",
	"containerLogMaxFiles",
	"containerLogMaxSize",
	"containerLogMaxWorkers",
	"containerLogMonitorInterval",
	"containerRuntimeEndpoint",
	"contentType",
	"cpuCFSQuota",
	"cpuCFSQuotaPeriod",
	"cpuManagerPolicy",
	"cpuManagerPolicyOptions",
	"cpuManagerReconcilePeriod",
	"crashLoopBackOff",
	"draManagerReconcilePeriod",
	"enableContentionProfiling",
	"enableControllerAttachDetach",
	"enableDebugFlagsHandler",
	"enableDebuggingHandlers",
	"enableProfilingHandler",
	"enableServer",
	"enableSystemLogHandler",
	"enableSystemLogQuery",
	"enforceNodeAllocatable",
	"eventBurst",
	"eventRecordQPS",
	"evictionHard",
	"evictionMaxPodGracePeriod",
	"evictionMinimumReclaim",
	"evictionPressureTransitionPeriod",
	"evictionSoft",
	"evictionSoftGracePeriod",
	"failCgroupV1",
	"failSwapOn",
	"featureGates",
	"fileCheckFrequency",
	"hairpinMode",
	"healthzBindAddress",
	"healthzPort",
	"httpCheckFrequency",
	"imageGCHighThresholdPercent",
	"imageGCLowThresholdPercent",
	"imageMaximumGCAge",
	"imageMinimumGCAge",
	"imagePullCredentialsVerificationPolicy",
	"imageServiceEndpoint",
	"iptablesDropBit",
	"iptablesMasqueradeBit",
	"kernelMemcgNotification",
	"kubeAPIBurst",
	"kubeAPIQPS",
	"kubeReserved",
	"kubeReservedCgroup",
	"kubeletCgroups",
	"localStorageCapacityIsolation",
	"logging",
	"makeIPTablesUtilChains",
	"maxOpenFiles",
	"maxParallelImagePulls",
	"maxPods",
	"memoryManagerPolicy",
	"memoryReservationPolicy",
	"memorySwap",
	"memoryThrottlingFactor",
	"mergeDefaultEvictionSettings",
	"nodeLeaseDurationSeconds",
	"nodeStatusMaxImages",
	"nodeStatusReportFrequency",
	"nodeStatusUpdateFrequency",
	"oomScoreAdj",
	"podCIDR",
	"podLogsDir",
	"podPidsLimit",
	"podsPerCore",
	"port",
	"preloadedImagesVerificationAllowlist",
	"protectKernelDefaults",
	"providerID",
	"qosReserved",
	"readOnlyPort",
	"registerNode",
	"registerWithTaints",
	"registryBurst",
	"registryPullQPS",
	"reservedMemory",
	"reservedSystemCPUs",
	"resolvConf",
	"rotateCertificates",
	"runOnce",
	"runtimeRequestTimeout",
	"seccompDefault",
	"serializeImagePulls",
	"serverTLSBootstrap",
	"showHiddenMetricsForVersion",
	"shutdownGracePeriod",
	"shutdownGracePeriodByPodPriority",
	"shutdownGracePeriodCriticalPods",
	"singleProcessOOMKill",
	"staticPodPath",
	"staticPodURL",
	"staticPodURLHeader",
	"streamingConnectionIdleTimeout",
	"syncFrequency",
	"systemCgroups",
	"systemReserved",
	"systemReservedCgroup",
	"tlsCertFile",
	"tlsCipherSuites",
	"tlsCurvePreferences",
	"tlsMinVersion",
	"tlsPrivateKeyFile",
	"topologyManagerPolicy",
	"topologyManagerPolicyOptions",
	"topologyManagerScope",
	"tracing",
	"userNamespaces",
	"volumePluginDir",
	"volumeStatsAggPeriod",
};

/* Those of them that are not one value. A kubelet that is given another shape ends at once, and again, for ever. */
static const char *const lists[] = {
	"allowedUnsafeSysctls",
	"clusterDNS",
	"enforceNodeAllocatable",
	"preloadedImagesVerificationAllowlist",
	"registerWithTaints",
	"reservedMemory",
	"shutdownGracePeriodByPodPriority",
	"tlsCipherSuites",
	"tlsCurvePreferences",
	NULL,
};

static const char *const maps[] = {
	"authentication",
	"authorization",
	"cpuManagerPolicyOptions",
	"crashLoopBackOff",
	"evictionHard",
	"evictionMinimumReclaim",
	"evictionSoft",
	"evictionSoftGracePeriod",
	"featureGates",
	"kubeReserved",
	"logging",
	"memorySwap",
	"qosReserved",
	"staticPodURLHeader",
	"systemReserved",
	"topologyManagerPolicyOptions",
	"tracing",
	"userNamespaces",
	NULL,
};

#define FIELD_COUNT (sizeof fields / sizeof fields[0])

static const char *next_field(size_t i, const void *data)
{
	(void)data;
	return i < FIELD_COUNT ? fields[i] : NULL;
}

const char *kubelet_field_near(const char *name)
{
	return nearest_name(name, next_field, NULL);
}

static bool is_field(const char *name)
{
	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (!strcmp(fields[i], name))
			return true;
	return false;
}

static bool is_among(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names;
}

static void check_shape(const char *path, const struct yaml_child *field, struct report *report)
{
	static const char *const shown[] = {
		[YAML_TEXT] = "one value", [YAML_LIST] = "a list (- entry)", [YAML_MAP] = "a map (key: value)"};
	const char *name = field->key->text;
	const struct yaml_node *value = field->value;
	enum yaml_kind kind = is_among(lists, name) ? YAML_LIST : is_among(maps, name) ? YAML_MAP : YAML_TEXT;

	if (value->kind != kind && !yaml_is_null(value))
		report_error(report, value->line, value->column, "%s.%s: expected %s, found %s", path, name,
			     shown[kind], shown[value->kind]);
}

void check_kubelet_fields(const struct yaml_node *root, struct report *report)
{
	static const char path[] = "keelson.kubelet.config";
	const struct yaml_child *config = yaml_place(root, path);

	for (size_t i = 0; config && config->value->kind == YAML_MAP && i < config->value->count; i++) {
		const struct yaml_node *key = config->value->children[i].key;
		const char *near = kubelet_field_near(key->text);

		if (is_field(key->text))
			check_shape(path, &config->value->children[i], report);
		else
			report_error(report, key->line, key->column,
				     "%s.%.128s: unknown field of KubeletConfiguration%s%s", path, key->text,
				     near ? ", the nearest is " : "", near ? near : "");
	}
}
